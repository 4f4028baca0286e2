[(import_statement) (import_from_statement)] @import
