(formal_parameters (identifier) @bound)
