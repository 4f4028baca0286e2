"""The matchers: each finds the candidates of an edit by one comparison."""
