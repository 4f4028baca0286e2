(comment) @comment
[(double_quote_scalar) (single_quote_scalar) (block_scalar)] @string
