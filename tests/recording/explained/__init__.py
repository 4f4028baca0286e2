"""What is answered or done otherwise than by the first version, a module for each room."""
