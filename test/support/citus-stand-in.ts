import { run } from './databases.ts'

/**
 * Not Citus: a catalogue and functions of the same names in a plain PostgreSQL. The functions note that a table is distributed and record their calls.
 * It shows which calls are made, in which order, and how the store behaves when it takes its database for a distributed one. It cannot show that
 * Citus accepts a statement.
 */
export async function installCitusStandIn(url: string): Promise<void> {
  await run(url, standIn)
}

/** The calls so far, in order. */
export async function citusCalls(url: string): Promise<string[]> {
  const rows = await run(url, 'select call from citus.calls order by nth')
  return rows.map(({ call }) => String(call))
}

const standIn = `
  set allow_system_table_mods = on;
  create schema citus;
  grant usage on schema citus to public;
  create table citus.calls (nth bigint generated always as identity, call text not null);
  create table pg_catalog.pg_dist_partition (logicalrelid regclass not null primary key, partmethod "char" not null, repmodel "char" not null);
  grant select on pg_catalog.pg_dist_partition to public;
  create function pg_catalog.create_distributed_table(place regclass, key text, colocate_with text) returns void language plpgsql as $$
  begin
    insert into citus.calls (call) values (format('distribute %s by %s beside %s', place, key, colocate_with));
    insert into pg_catalog.pg_dist_partition values (place, 'h', 's');
  end $$;
  create function pg_catalog.citus_add_local_table_to_metadata(place regclass) returns void language plpgsql as $$
  begin
    insert into citus.calls (call) values (format('keep %s on the coordinator', place));
    insert into pg_catalog.pg_dist_partition values (place, 'n', 's');
  end $$;
  create function pg_catalog.run_command_on_shards(place regclass, command text) returns table (shardid bigint, success boolean) language plpgsql as $$
  begin
    insert into citus.calls (call) values (format('on the shards of %s: %s', place, command));
    return query select 1::bigint, true;
  end $$;`
