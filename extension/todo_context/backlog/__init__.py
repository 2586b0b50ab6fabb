"""The backlog: items that outlive sessions, in one store that all sessions of a machine share.

The pure part (values in, values out) is `item`, `moment`, `moves`, `graph`, `order`, `secrets`, `changes`,
`health` and `armory`; the port is `store`; what holds a store is `sqlite` or `json_file`. A session that does not use
the backlog imports none of these but `secrets`, which says what else must not be kept.
"""
