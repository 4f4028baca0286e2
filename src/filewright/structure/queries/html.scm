(element) @read.markup.element
(script_element) @read.markup.element
(style_element) @read.markup.element
