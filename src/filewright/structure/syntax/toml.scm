(comment) @comment
[(string) (quoted_key)] @string
