(field_definition) @read.ecma.member
