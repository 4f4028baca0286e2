"""The dialect `filesystem`: the batch filesystem servers for Node.

Paths are relative to the root. Every answer is one JSON array in the order of the
request, and a refused item leaves the others alone. A refused call is a number of
JSON-RPC and a message.
"""
