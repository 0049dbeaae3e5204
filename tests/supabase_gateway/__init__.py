"""A stand-in for a hosted Supabase project, so that Supabase's own client runs unchanged: real PostgreSQL, a small HTTP server.

Of PostgREST 14 (its documentation, "Functions as RPC", "Errors", "Authentication"): `POST /rest/v1/rpc/<function>` with a JSON
object of named arguments, for functions in `public` that return one value or nothing; the role, `request.jwt.claims` and time
limit of each transaction, READ ONLY for what is STABLE; the statuses of PostgreSQL's errors, `PTxyz` among them; PGRST000, 102,
106, 117, 202, 301 and 303.

Of Supabase Auth 2.18 with API version 2024-01-01 (its documentation, "Error codes", and openapi.yaml): `health`, `settings`,
`signup`, `token` by password, by PKCE and by refresh token (rotating; the parent of the active token may be used again, any other
counts as stolen), `otp`, `verify`, `logout` with its scopes, `user`. Mails are kept for the tests to read; as in a project that
nobody changed they have a link and no code, and there are two an hour.

Of what stands before both: requests without the project's key, with another, or with a legacy key after these were switched off,
are refused; a project that is paused (540) or restricted (402) answers nothing else.

`python -m tests.supabase_gateway` starts one to try things out.
"""

from tests.supabase_gateway.server import Gateway

__all__ = ["Gateway"]
