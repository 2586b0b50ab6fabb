"""Our pi-style host: sessions, the agent, extensions, and the terminal a person talks to them in."""
