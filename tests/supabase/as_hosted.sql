-- What a hosted Supabase project has before anything of ours: roles, schema auth, and rights given to everybody by default.
-- Run by a superuser; `postgres`, who applies migrations, is none there either.
create schema auth;
create table auth.users (id uuid primary key default gen_random_uuid(), email text unique, encrypted_password text, created_at timestamptz default now());

create function auth.jwt() returns jsonb language sql stable as $$
  select coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb
$$;
create function auth.uid() returns uuid language sql stable as $$ select nullif(auth.jwt() ->> 'sub', '')::uuid $$;
create function auth.role() returns text language sql stable as $$ select auth.jwt() ->> 'role' $$;

grant usage on schema auth to postgres, anon, authenticated, service_role;
grant usage on schema public to postgres, anon, authenticated, service_role;
grant all on schema public to postgres;
grant create on database :"database" to postgres;
alter default privileges for role postgres in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on sequences to anon, authenticated, service_role;
alter default privileges for role postgres in schema public grant all on functions to anon, authenticated, service_role;
