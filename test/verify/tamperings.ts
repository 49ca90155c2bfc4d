import { tagKey } from '../../src/adapters/postgres/tag-rows.ts'

/** A direct change to the database, and what verifying must name. The statements are the same for SQLite and PostgreSQL, except for tags. */
export type Tampering = {
  readonly name: string
  readonly sql: readonly string[]
  readonly found: { readonly problem: string; readonly what: string; readonly member?: string }
}

const changed = (what: string, member?: string) => ({ problem: 'changed', what, ...(member ? { member } : {}) })
const unrecorded = (what: string) => ({ problem: 'unrecorded', what })
const gone = (what: string) => ({ problem: 'gone', what })

/** One row of a table, chosen by its key. */
const one = (table: string, key: string, where = 'true') =>
  `${key} = (select min(${key}) from ${table} where tenant_id = 'acme' and ${where})`

const live = one('entry_version', 'entry_id', `memory_ref = 'notes' and ended_position is null`)
const ended = one('entry_version', 'entry_id', `memory_ref = 'notes' and ended_reason = 'deleted'`)
const version = (set: string, where = live) => `update entry_version set ${set} where ${where} and version = 1`
/** Another row with some columns of one that is there. */
const plant = (table: string, columns: string, values: string, where: string) =>
  `insert into ${table} (tenant_id, ${columns}) select tenant_id, ${values} from ${table} where tenant_id = 'acme' and ${where}`

const versionColumns = (id: string) => [
  'memory_ref, entry_id, version, content, tags, salt, created_at, created_position, ordinal, recorded_position, origin',
  `memory_ref, ${id}, version, content, '[]', salt, created_at, created_position, ordinal + 500, recorded_position, origin`,
]

const event = one('source_event', 'source_event_id', 'erased_at is null')
const source = (set: string) => `update source_event set ${set} where ${event}`
const erasedEvent = one('source_event', 'source_event_id', 'erased_at is not null')
const claim = one('claim', 'claim_id', 'pin is not null')
const asserted = `${claim.replaceAll('from claim', 'from claim')} and ordinal = 0`
const admin = (kind: string) => `kind = '${kind}' and ${one('admin_record', 'id', `kind = '${kind}'`)}`
const run = one('run', 'run_id', `workflow_id = 'visit'`)
const compaction = one('compaction', 'compaction_id', 'token_budget is null')
/** The chunks with the sources of distillations. */
const chunk = "compaction_id like '#%'"

const versions: readonly Tampering[] = [
  { name: 'a content', sql: [version(`content = 'Forged'`)], found: changed('version') },
  {
    name: 'a content whose row names another record',
    sql: [version(`content = 'Forged', digest_position = 999`)],
    found: changed('version'),
  },
  {
    name: 'a content, with the refs of all records gone',
    sql: [version(`content = 'Forged'`), `update audit set refs = null`],
    found: changed('version'),
  },
  {
    name: 'only the record that a row names',
    sql: [version('digest_position = 1')],
    found: changed('version', 'digestPosition'),
  },
  {
    name: 'the refs of a record gone',
    sql: [`update audit set refs = null where refs like '%notes%'`],
    found: changed('record', 'refs'),
  },
  {
    name: 'the refs of a record blank',
    sql: [`update audit set refs = '[""]' where refs = '["kept"]'`],
    found: changed('record', 'refs'),
  },
  {
    name: 'the refs of a record renamed',
    sql: [`update audit set refs = '["other"]' where refs = '["kept"]'`],
    found: changed('record', 'refs'),
  },
  {
    name: 'a planted entry',
    sql: [
      plant(
        'entry_version',
        versionColumns('').at(0) ?? '',
        versionColumns(`'mem_planted'`).at(1) ?? '',
        `${live} and version = 1`,
      ),
    ],
    found: unrecorded('version'),
  },
  { name: 'a deleted entry', sql: [`delete from entry_version where ${live}`], found: gone('version') },
  {
    name: 'a hidden entry',
    sql: [version(`ended_position = recorded_position + 1, ended_reason = 'deleted'`)],
    found: changed('version', 'ended'),
  },
  {
    name: 'a revived entry',
    sql: [version('ended_position = null, ended_reason = null', ended)],
    found: changed('version', 'ended'),
  },
  {
    name: 'another reason of an end',
    sql: [version(`ended_reason = 'archived'`, ended)],
    found: changed('version', 'ended'),
  },
  { name: 'a moved entry', sql: [version(`memory_ref = 'elsewhere'`)], found: changed('version', 'memoryRef') },
  { name: 'an entry that lasts longer', sql: [version('expires_at = 4102444800000')], found: changed('version') },
  { name: 'an entry about another subject', sql: [version(`subject = 'bob'`)], found: changed('version') },
  {
    name: 'an entry of another origin',
    sql: [version(`origin = '{"kind":"service","service":"crm"}'`)],
    found: changed('version'),
  },
  {
    name: 'an entry that a run is said to have written',
    sql: [version(`run_id = 'run_x', run_sequence = 1`)],
    found: changed('version'),
  },
  { name: 'an entry of another claim', sql: [version(`claim_id = 'clm_x'`)], found: changed('version') },
  { name: 'a class of an entry', sql: [version('trust = 3')], found: changed('version') },
  { name: 'readers of an entry', sql: [version(`readers = '["eve"]'`)], found: changed('version') },
  { name: 'an older entry', sql: [version('created_at = created_at - 1')], found: changed('version') },
  { name: 'tags that are no list', sql: [version(`tags = '{}'`)], found: changed('version') },
  { name: 'tags that are no texts', sql: [version(`tags = '[5]'`)], found: changed('version') },
  { name: 'a row that is no JSON', sql: [version(`origin = '{'`)], found: changed('version') },
  { name: 'the readers of a version', sql: [version(`readers = '["mallory"]'`)], found: changed('version') },
  { name: 'the tags of a version', sql: [version(`tags = '["a","forged"]'`)], found: changed('version') },
  {
    name: 'where history begins',
    sql: ['update tenant_clock set history_from = 3'],
    found: changed('clock', 'historyFrom'),
  },
  {
    name: 'the last instant of the clock',
    sql: ['update tenant_clock set last_created_at = last_created_at + 1'],
    found: changed('clock', 'lastCreatedAt'),
  },
  {
    name: 'the version of the redaction',
    sql: ['update tenant_clock set redaction_version = redaction_version - 1'],
    found: changed('clock', 'redactionVersion'),
  },
  {
    name: 'a tenant that was disabled without a record',
    sql: [`update tenant set status = 'disabled'`],
    found: changed('tenant', 'status'),
  },
  {
    name: 'when the tenant was created',
    sql: ['update tenant set created_at = created_at - 1'],
    found: changed('tenant', 'createdAt'),
  },
]

/** PostgreSQL names a tag and its ref by a number. */
const tagRows = {
  sqlite: {
    isIt: `tag = 't3'`,
    columns: 'memory_ref, tag, created_position, ordinal, version, recorded_position, ended_position',
    forged: `memory_ref, 'forged', created_position, ordinal, version, recorded_position, ended_position`,
  },
  postgres: {
    isIt: `tag_key = ${tagKey('acme', 'notes', 't3')}`,
    columns: 'tag_key, place, version, recorded_position, ended_position',
    forged: `${tagKey('acme', 'notes', 'forged')}, place, version, recorded_position, ended_position`,
  },
} as const

const tags = ({ isIt, columns, forged }: (typeof tagRows)[keyof typeof tagRows]): readonly Tampering[] => [
  { name: 'a deleted tag', sql: [`delete from entry_tag where ${isIt}`], found: gone('tag') },
  { name: 'a hidden tag', sql: [`update entry_tag set ended_position = 9 where ${isIt}`], found: unrecorded('tag') },
  { name: 'a planted tag', sql: [plant('entry_tag', columns, forged, isIt)], found: unrecorded('tag') },
  {
    name: 'a tag twice, under the number of another version',
    sql: [plant('entry_tag', columns, columns.replace(', version', ', version + 1'), isIt)],
    found: unrecorded('tag'),
  },
]

const sources: readonly Tampering[] = [
  {
    name: 'messages',
    sql: [source(`messages = '[{"role":"user","content":"Forged"}]'`)],
    found: changed('source event', 'messages'),
  },
  { name: 'messages that are gone', sql: [source('messages = null')], found: changed('source event', 'messages') },
  { name: 'a payload hash', sql: [source(`payload_hash = 'sha256:0'`)], found: changed('source event') },
  {
    name: 'when an event was observed',
    sql: [source('observed_at = observed_at + 1')],
    found: changed('source event'),
  },
  { name: 'who an event is from', sql: [source(`service = 'erp'`)], found: changed('source event') },
  { name: 'the key an event came with', sql: [source(`actor = 'key:other'`)], found: changed('source event') },
  { name: 'the class of an event', sql: [source(`trust = 'verified'`)], found: changed('source event') },
  { name: 'a scope', sql: [source(`scope = '{"thread":"t2"}'`)], found: changed('source event') },
  { name: 'evidence', sql: [source('evidence = null')], found: changed('source event') },
  { name: 'metadata', sql: [source(`metadata = '{"a":1}'`)], found: changed('source event') },
  {
    name: 'an event that is said to be erased',
    sql: [source('erased_at = 1')],
    found: changed('source event', 'erased'),
  },
  {
    name: 'when an event was erased',
    sql: [`update source_event set erased_at = erased_at - 1 where ${erasedEvent}`],
    found: changed('source event', 'erased'),
  },
  {
    name: 'an erased event that has words again',
    sql: [`update source_event set messages = '[]' where ${erasedEvent}`],
    found: changed('source event', 'messages'),
  },
  {
    name: 'an erased event of another name',
    sql: [`update source_event set event_id = 'e9' where ${erasedEvent}`],
    found: changed('source event', 'eventId'),
  },
  { name: 'a deleted event', sql: [`delete from source_event where ${event}`], found: gone('source event') },
  {
    name: 'a planted event',
    sql: [
      plant(
        'source_event',
        'source_event_id, subject, infer, observed_at, received_at, payload_hash, is_hash_private, salt, job_id, actor, request_id, recorded_position, metadata',
        `'src_planted', subject, infer, observed_at, received_at, payload_hash, is_hash_private, salt, job_id, actor, request_id, recorded_position, metadata`,
        event,
      ),
    ],
    found: unrecorded('source event'),
  },
]

const claims: readonly Tampering[] = [
  {
    name: 'the winner of a claim',
    sql: [`update claim set winner = 'mem_other' where ${claim}`],
    found: changed('claim', 'winner'),
  },
  { name: 'a pin that is gone', sql: [`update claim set pin = null where ${claim}`], found: changed('claim', 'pin') },
  {
    name: 'the reason of a pin',
    sql: [`update claim set pin = replace(pin, 'I asked her', 'She asked me') where ${claim}`],
    found: changed('claim'),
  },
  {
    name: 'a claim that is contested',
    sql: [`update claim set is_contested = 1 - is_contested where ${claim}`],
    found: changed('claim'),
  },
  { name: 'the key of a claim', sql: [`update claim set claim_key = 'food' where ${claim}`], found: changed('claim') },
  { name: 'a deleted claim', sql: [`delete from claim where ${claim}`], found: gone('claim') },
  {
    name: 'a planted claim',
    sql: [
      plant(
        'claim',
        'claim_id, revision, subject, category, is_contested, updated_position',
        `'clm_planted', revision, subject, category, is_contested, updated_position`,
        claim,
      ),
    ],
    found: unrecorded('claim'),
  },
  ...[
    'priority = priority + 1',
    `trust = 'verified'`,
    'confidence = 0.99',
    'observed_at = observed_at + 1',
    `service = 'erp'`,
    'importance = 9',
    `entry_id = null`,
    'withdrawn_position = 3',
    `source_event_id = 'src_x'`,
  ].map((set) => ({
    name: `an assertion: ${set}`,
    sql: [`update assertion set ${set} where ${asserted}`],
    found: changed('assertion'),
  })),
  {
    name: 'the content of an assertion',
    sql: [`update assertion set content = 'Forged' where ${asserted}`],
    found: changed('assertion', 'content'),
  },
  {
    name: 'the content of an assertion without its seal',
    sql: [`update assertion set content = 'Forged', seal = '' where ${asserted}`],
    found: changed('assertion'),
  },
  { name: 'a deleted assertion', sql: [`delete from assertion where ${asserted}`], found: changed('assertion') },
  {
    name: 'a planted assertion',
    sql: [
      plant(
        'assertion',
        'claim_id, ordinal, source_event_id, candidate, content, content_key, importance, confidence, priority, observed_at, recorded_position',
        `'clm_none', 7, source_event_id, candidate, content, content_key, importance, confidence, priority, observed_at, recorded_position`,
        asserted,
      ),
    ],
    found: unrecorded('assertion'),
  },
]

const kinds = ['key', 'writer', 'rule', 'settings', 'secret', 'data-key', 'workflow-version', 'forget']

const administration: readonly Tampering[] = [
  ...kinds.flatMap((kind): Tampering[] => [
    {
      name: `a ${kind}`,
      sql: [
        `update admin_record set body = replace(body, '"facts":{', '"facts":{"x":1,') where ${admin(kind)} and body like '%"facts":{%'`,
        `update admin_record set body = replace(body, '"sealed":{', '"sealed":{"x":"1",') where ${admin(kind)} and body like '%"sealed":{"%'`,
        `update admin_record set body = replace(body, '"text":{', '"text":{"x":1,') where ${admin(kind)} and body like '%"text":{"%'`,
      ],
      found: changed(kind),
    },
    { name: `a deleted ${kind}`, sql: [`delete from admin_record where ${admin(kind)}`], found: gone(kind) },
    {
      name: `a planted ${kind}`,
      sql: [
        plant(
          'admin_record',
          'kind, id, revision, body, updated_at',
          `kind, 'planted', revision, body, updated_at`,
          admin(kind),
        ),
      ],
      found: unrecorded(kind),
    },
  ]),
  {
    name: 'the scopes of a key',
    sql: [
      `update admin_record set body = replace(body, '"memory:read"', '"memory:admin"') where kind = 'key' and body like '%memory:read%'`,
    ],
    found: changed('key'),
  },
  {
    name: 'a revoked key that works again',
    sql: [`update admin_record set body = replace(body, '"revokedAt":1', '"revokedAt":9') where kind = 'key'`],
    found: changed('key'),
  },
  {
    name: 'the counts of a receipt',
    sql: [`update admin_record set body = replace(body, '"entries":1', '"entries":2') where kind = 'forget'`],
    found: changed('forget'),
  },
]

const fences: readonly Tampering[] = [
  { name: 'a fence that is gone', sql: ['delete from fence'], found: gone('fence') },
  {
    name: 'a fence around something else',
    sql: [`update fence set value = 'not-' || value`],
    found: unrecorded('fence'),
  },
  { name: 'a fence that reaches further', sql: ['update fence set position = position + 50'], found: changed('fence') },
  {
    name: 'a planted fence',
    sql: [
      plant(
        'fence',
        'forget_id, kind, value, from_sequence, to_sequence, position',
        `'fgt_planted', kind, 'notes', from_sequence, to_sequence, position`,
        `value = 'agents/tea'`,
      ),
    ],
    found: unrecorded('fence'),
  },
]

const events = `${run} and sequence = 1`
const reads = `${run} and ordinal = 1`
const runColumns =
  'workflow_id, workflow_version, status, revision, next_sequence, snapshot_position, snapshot_at, tags, created_at, updated_at, ended_at, facts, text'

const runs: readonly Tampering[] = [
  { name: 'the status of a run', sql: [`update run set status = 'failed' where ${run}`], found: changed('run') },
  {
    name: 'the inputs of a run',
    sql: [`update run set text = replace(text, '"ada"', '"bob"') where ${run}`],
    found: changed('run'),
  },
  { name: 'the tags of a run', sql: [`update run set tags = '[]' where ${run}`], found: changed('run') },
  { name: 'the snapshot of a run', sql: [`update run set snapshot_position = 1 where ${run}`], found: changed('run') },
  {
    name: 'a run that goes on',
    sql: [`update run set status = 'running', ended_at = null where ${run}`],
    found: changed('run'),
  },
  { name: 'a deleted run', sql: [`delete from run where ${run}`], found: gone('run') },
  {
    name: 'a planted run',
    sql: [plant('run', `run_id, ${runColumns}`, `'run_planted', ${runColumns}`, run)],
    found: unrecorded('run'),
  },
  {
    name: 'a run event',
    sql: [`update run_event set payload = '{"forged":true}' where ${events}`],
    found: changed('run event'),
  },
  {
    name: 'the instant of a run event',
    sql: [`update run_event set at = at + 1 where ${events}`],
    found: changed('run event'),
  },
  { name: 'a deleted run event', sql: [`delete from run_event where ${events}`], found: changed('run event') },
  {
    name: 'an added run event',
    sql: [
      plant(
        'run_event',
        'run_id, sequence, type, node_id, at, payload',
        'run_id, 99, type, node_id, at, payload',
        events,
      ),
    ],
    found: changed('run event'),
  },
  {
    name: 'run events in another order',
    sql: [
      `update run_event set sequence = -1 where ${run} and sequence = 1`,
      `update run_event set sequence = 1 where ${run} and sequence = 2`,
      `update run_event set sequence = 2 where ${run} and sequence = -1`,
    ],
    found: changed('run event'),
  },
  {
    name: 'an event of a run that is not there',
    sql: [
      plant(
        'run_event',
        'run_id, sequence, type, node_id, at, payload',
        `'run_none', 0, type, node_id, at, payload`,
        events,
      ),
    ],
    found: unrecorded('run event'),
  },
  { name: 'what a run read', sql: [`update run_call set entries = '[]' where ${reads}`], found: changed('run read') },
  {
    name: 'when a run read',
    sql: [`update run_call set position = position + 1 where ${reads}`],
    found: changed('run read'),
  },
  { name: 'a deleted read', sql: [`delete from run_call where ${reads}`], found: changed('run read') },
  {
    name: 'an added read',
    sql: [
      plant(
        'run_call',
        'run_id, ordinal, sequence, node_id, op, memory_ref, entries, position, at',
        'run_id, 99, sequence, node_id, op, memory_ref, entries, position, at',
        reads,
      ),
    ],
    found: changed('run read'),
  },
]

const compactions: readonly Tampering[] = [
  {
    name: 'who made a compaction',
    sql: [`update compaction set summariser = 'gpt' where ${compaction}`],
    found: changed('compaction'),
  },
  {
    name: 'the output of a compaction',
    sql: [`update compaction set output_id = 'mem_x' where ${compaction}`],
    found: changed('compaction', 'outputId'),
  },
  {
    name: 'a compaction that is said to be undone',
    sql: [`update compaction set status = 'undone' where ${compaction}`],
    found: changed('compaction'),
  },
  { name: 'a deleted compaction', sql: [`delete from compaction where ${compaction}`], found: gone('compaction') },
  {
    name: 'a source of a compaction',
    sql: [`update compaction_source set entry_id = 'mem_x' where ${compaction} and ordinal = 0`],
    found: changed('compaction', 'sources'),
  },
  {
    name: 'a deleted source of a compaction',
    sql: [`delete from compaction_source where ${compaction} and ordinal = 0`],
    found: changed('compaction', 'sources'),
  },
  {
    name: 'a source of a compaction that is not there',
    sql: [
      plant(
        'compaction_source',
        'compaction_id, ordinal, entry_id, version',
        `'cmp_none', 0, entry_id, version`,
        `${compaction} and ordinal = 0`,
      ),
    ],
    found: unrecorded('compaction source'),
  },
  {
    name: 'a source of a distillation',
    sql: [`update compaction_source set entry_id = 'mem_x' where ${chunk}`],
    found: changed('compaction', 'sources'),
  },
  {
    name: 'the deleted sources of a distillation',
    sql: [`delete from compaction_source where ${chunk}`],
    found: changed('compaction', 'sources'),
  },
  {
    name: 'sources of no distillation',
    sql: [
      plant('compaction_source', 'compaction_id, ordinal, entry_id, version', `'#none', 0, entry_id, version`, chunk),
    ],
    found: unrecorded('compaction source'),
  },
]

/** Groups of changes that do not affect each other: one change of each can be made at once. */
export const tamperingsOf = (kind: keyof typeof tagRows): readonly (readonly Tampering[])[] => [
  versions,
  tags(tagRows[kind]),
  sources,
  claims,
  administration,
  fences,
  runs,
  compactions,
]
