import { readFileSync } from 'node:fs'
import type { SchemaDifference } from '../../ports/database-snapshot.ts'
import { compareSchema, type SchemaFact } from '../sql/compare-schema.ts'
import { type Queryable, query, unnamedStatement } from './connection.ts'
import { hostRole, tenantRole } from './row-security.ts'

/** What the migrations make, as `toText` writes it: npm test -- migrations/schema, with COLOPHON_UPDATE_SCHEMA=1. */
export const expectedSchema = new URL('./schema.txt', import.meta.url)
let expected: readonly SchemaFact[] | undefined

/** What a database has otherwise than the migrations make it, as after a change by hand: a trigger, or an index that is not there. */
export async function schemaDifferences(database: Queryable): Promise<SchemaDifference[]> {
  expected ??= parse(readFileSync(expectedSchema, 'utf8'))
  const tables = expected.flatMap(({ what, name }) => (what === 'table' ? [name] : []))
  return compareSchema(expected, await readSchema(database, tables), isOwn)
}

/** The tables with these names that statements without a schema find, and everything on them. */
export async function readSchema(database: Queryable, tables: readonly string[]): Promise<SchemaFact[]> {
  return query<SchemaFact & { definition: string }>(database, selectSchema, [tables])
}

/** One line for each object, as a review of a new migration wants it. */
export function toText(facts: readonly SchemaFact[]): string {
  return facts
    .map(({ what, name, definition }) => `${what} ${name} ${definition}\n`)
    .sort()
    .join('')
}

function parse(text: string): SchemaFact[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map((line) => {
      const [what = '', name = '', ...definition] = line.split(' ')
      return { what: what as SchemaFact['what'], name, definition: definition.join(' ') }
    })
}

/** Policies of row-level security, and the column and indexes of the extension pgvector: a start or a search makes them. */
const ownObjects: readonly { readonly what: SchemaFact['what']; readonly name: RegExp; readonly definition: RegExp }[] =
  [
    {
      what: 'policy',
      name: new RegExp(`\\.${tenantRole}$`),
      definition: new RegExp(
        `^\\* to ${tenantRole} using \\(tenant_id = \\( SELECT current_setting\\('colophon\\.tenant'::text, true\\) AS current_setting\\)\\)$`,
      ),
    },
    { what: 'policy', name: new RegExp(`\\.${hostRole}$`), definition: new RegExp(`^r to ${hostRole} using true$`) },
    { what: 'column', name: /^entry_vector\.near$/, definition: /^(\w+\.)?halfvec$/ },
    {
      what: 'index',
      name: /^entry_vector_without_near$/,
      definition: /^CREATE INDEX \w+ ON entry_vector USING btree /,
    },
    { what: 'index', name: /^entry_vector_near_\d+$/, definition: /^CREATE INDEX \w+ ON entry_vector USING hnsw / },
  ]

function isOwn({ what, name, definition }: SchemaFact): boolean {
  return ownObjects.some(
    (own) => own.what === what && own.name.test(name) && own.definition.test((definition ?? '').replace(/\s+/g, ' ')),
  )
}

/**
 * Not compared: what changes no result, such as fill factors and statistics. Triggers that the server or an extension made for itself call a function of
 * its own schema.
 */
const selectSchema = unnamedStatement(`
  with ours as (
    select name, to_regclass(quote_ident(name))::oid as id
      from unnest($1::text[]) as name
  )
  select 'table' as what, name, concat(c.relkind, ' ', c.relpersistence)
           || case when exists (select from pg_inherits where id in (inhparent, inhrelid)) then ' inherits' else '' end as definition
    from ours join pg_class c on c.oid = id
   union all
  select 'column', name || '.' || a.attname,
         concat_ws(' ', format_type(a.atttypid, a.atttypmod), 'collate ' || nullif(l.collname, 'default'),
                   case when a.attnotnull then 'not null' end, 'default ' || pg_get_expr(d.adbin, d.adrelid),
                   nullif(a.attgenerated::text, ''), nullif(a.attidentity::text, ''))
    from ours join pg_attribute a on a.attrelid = id and a.attnum > 0 and not a.attisdropped
    left join pg_collation l on l.oid = a.attcollation
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   union all
  select 'index', x.relname,
         replace(pg_get_indexdef(i.indexrelid), ' ON ' || quote_ident(n.nspname) || '.', ' ON ')
           || case when i.indisvalid then '' else ' invalid' end
    from ours join pg_index i on i.indrelid = id
    join pg_class x on x.oid = i.indexrelid
    join pg_namespace n on n.oid = x.relnamespace
   union all
  select 'constraint', name || '.' || k.conname, pg_get_constraintdef(k.oid)
    from ours join pg_constraint k on k.conrelid = id and k.contype not in ('n', 't')
   union all
  select 'trigger', name || '.' || t.tgname, pg_get_triggerdef(t.oid)
    from ours join pg_trigger t on t.tgrelid = id
    join pg_proc f on f.oid = t.tgfoid
   where not (t.tgisinternal and f.pronamespace = 'pg_catalog'::regnamespace)
   union all
  select 'rule', name || '.' || r.rulename, pg_get_ruledef(r.oid)
    from ours join pg_rewrite r on r.ev_class = id
   union all
  select 'policy', name || '.' || p.polname,
         concat_ws(' ', case when p.polpermissive then null else 'restrictive' end, p.polcmd::text, 'to',
                   (select string_agg(rolname, ',' order by rolname) from pg_roles where oid = any (p.polroles)),
                   'using ' || pg_get_expr(p.polqual, p.polrelid), 'check ' || pg_get_expr(p.polwithcheck, p.polrelid))
    from ours join pg_policy p on p.polrelid = id`)
