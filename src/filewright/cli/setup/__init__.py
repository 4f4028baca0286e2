"""The command `setup`: the server, the hooks and the rule in the configuration of clients.

In: the clients, scopes and components that are chosen. Out: edited configuration files, as
one change that can be undone.

- `setup`, `config`: the commands; `config` only prints what `setup` would write
- `client_options`, `selection`: arguments of the commands, and what a run is about
- `clients`: the clients that can be configured (`clients.toml`), and their files
- `components`, `launch`, `slash_commands`: what is written, as edits of the text of a file
- `recognition`, `check`: what `setup` wrote before, and whether it works
- `plan`, `files`: the edits of a client's files before any is written; reading and writing
- `configfile`, `json_text`, `toml_text`: edits of JSON and TOML as text
- `text`: the lines that `setup` prints
"""
