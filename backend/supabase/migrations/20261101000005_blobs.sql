-- Files that events name by their SHA-256, in parts: what is too large for an event. Whoever reads one verifies it.
create table public.blobs (
  user_id uuid not null,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  part int not null check (part >= 0),
  parts int not null check (parts > part),
  content bytea not null check (octet_length(content) <= 1048576),
  primary key (user_id, sha256, part)
);
comment on table public.blobs is 'Parts of files, each at most 1 MiB; `part` counts from 0 to `parts` - 1.';
alter table public.blobs alter column content set storage external;  -- often compressed already
select outrider.let_owner_read('public.blobs');

create function public.put_blob(sha256 text, part int, parts int, content text) returns void
language plpgsql security definer set search_path = '' as $$
begin
  insert into public.blobs as b values (
    outrider.user_id(), put_blob.sha256, put_blob.part, put_blob.parts, decode(put_blob.content, 'base64'))
  on conflict on constraint blobs_pkey do update set parts = excluded.parts, content = excluded.content
  where (b.parts, b.content) is distinct from (excluded.parts, excluded.content);  -- a damaged part is mended by sending it again
exception
  when data_exception or integrity_constraint_violation then
    raise sqlstate 'PT422' using message = 'append_refused', detail = 'This is no part of a file.';
end
$$;
comment on function public.put_blob is 'Keeps one part of a file (base64, at most 1 MiB); the same again changes nothing.';

create function public.get_blob(sha256 text, part int) returns text
language sql stable security definer set search_path = '' as $$
  select translate(encode(b.content, 'base64'), E'\n', '') from public.blobs b
  where b.user_id = outrider.user_id() and b.sha256 = get_blob.sha256 and b.part = get_blob.part
$$;
comment on function public.get_blob is 'One part of a file in base64; null if it is not there.';

revoke execute on function public.put_blob(text, int, int, text) from public, anon, service_role;
revoke execute on function public.get_blob(text, int) from public, anon, service_role;
grant execute on function public.put_blob(text, int, int, text) to authenticated;
grant execute on function public.get_blob(text, int) to authenticated;
