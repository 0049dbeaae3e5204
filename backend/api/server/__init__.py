"""How HTTP is served: the app, its keys, requests and answers, the socket, the endpoint decorator."""
