"""A stand-in for a hosted Supabase project, so that Supabase's own client runs unchanged: real PostgreSQL, a small HTTP server.

Of PostgREST 14 (its documentation, "Functions as RPC", "Errors", "Authentication"): `POST /rest/v1/rpc/<function>` with a JSON
object of named arguments, for functions in `public` that return one value or nothing; the role and `request.jwt.claims` of each
transaction; the statuses of PostgreSQL's errors, `PTxyz` among them; PGRST000, 102, 106, 117, 202, 301 and 303.

Of Supabase Auth 2.18 with API version 2024-01-01 (its documentation, "Error codes", and openapi.yaml): `health`, `settings`,
`signup`, `token` by password and by refresh token (rotating; the parent of the active token may be used again, any other counts as
stolen), `otp`, `verify`, `logout` with its scopes, `user`. Mails are kept for the tests to read.

Of what stands before both: requests without the project's key, or with another, are refused.

`python -m tests.supabase_gateway` starts one to try things out.
"""

from tests.supabase_gateway.server import Gateway

__all__ = ["Gateway"]
