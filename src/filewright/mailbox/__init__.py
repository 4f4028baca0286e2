"""The mailbox between server, review page and hooks, which are processes of their own.

They share nothing but the state folder, so its rows are in the databases of the
history. New rows are stored with the first root of the workspace, and are looked up in
all its databases: also those of the folders above and below, and one that another
process has made since. All methods raise the errors of `Database`.

- `store`: the rows of a mailbox, whatever they hold
- `calls`: calls that wait for the person's answer
- `comments`: the person's comments for an agent
- `imitation`: the recognition of content that imitates the user's words
- `marks`: the person's decisions about content, and how far they looked
- `prompts`: the session and turn of a client's process, and the words of prompts
"""
