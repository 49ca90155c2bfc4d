import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { type Call, type StorageName, startServer, storagesOfBehaviour } from '../support/server.ts'
import { isThorough } from '../support/thorough.ts'
import { chain, ended, gate, host, register, startRun } from './runs-calls.ts'

after(releaseServer)

const runsCount = isThorough ? 50 : 20
const outsideWrites = isThorough ? 500 : 200
const outsideDeletes = outsideWrites
const refs = ['shared/one', 'shared/two']
/** Entries that any writer can delete, and then one for each run, which the run deletes itself. */
const seedsPerRef = 12
const deadline = { timeout: 240_000 }

type Entry = { readonly id: string; readonly content: string; readonly tags: readonly string[] }

const entriesOf = (ref: string) => `${host}/memory/${encodeURIComponent(ref)}/entries`
const memory = (id: string, op: string, config: object) => ({
  id,
  typeId: `colophon.memory.${op}`,
  config: { memoryRef: '{{inputs.ref}}', ...config },
})

/** The reads of one look: everything, everything with a tag, one entry that is there, one that the run deletes itself. */
const look = (name: string) => [
  memory(`list-${name}`, 'list', { limit: 500, into: `list_${name}` }),
  memory(`tag-${name}`, 'list', { limit: 500, tag: 'even', into: `tag_${name}` }),
  memory(`get-${name}`, 'get', { id: '{{inputs.kept}}', into: `get_${name}` }),
  memory(`victim-${name}`, 'get', { id: '{{inputs.victim}}', into: `victim_${name}` }),
]
const own = (name: string) =>
  memory(`put-${name}`, 'put', { content: `${name} of {{inputs.name}}`, tags: ['even'], into: `put_${name}` })

/** Looks again and again; in between it writes and deletes by itself, waits for time, and waits for people. */
const reader = chain('reader', [
  ...look('first'),
  gate('gate-one'),
  ...look('second'),
  own('one'),
  ...look('third'),
  { id: 'rest', typeId: 'core.delay', config: { delayMs: 30 } },
  memory('delete', 'delete', { id: '{{inputs.victim}}', into: 'deleted' }),
  ...look('fourth'),
  gate('gate-two'),
  own('two'),
  ...look('fifth'),
])

/** What the run had written itself by each look, newest first. */
const ownBy: Readonly<Record<string, readonly string[]>> = {
  first: [],
  second: [],
  third: ['one'],
  fourth: ['one'],
  fifth: ['two', 'one'],
}

/** Another client that writes and deletes without a pause, also what runs wrote. */
class Outsider {
  readonly #call: Call
  readonly #live: { ref: string; id: string }[] = []
  written = 0
  deleted = 0

  constructor(call: Call) {
    this.#call = call
  }

  add(ref: string, entry: Entry): void {
    this.#live.push({ ref, id: entry.id })
  }

  async work(operations: number): Promise<void> {
    const half = Array.from({ length: operations / 2 }, (_, index) => index)
    await Promise.all([0, 1, 2, 3].map((worker) => this.#worker(half.filter((index) => index % 4 === worker))))
  }

  async #worker(turns: readonly number[]): Promise<void> {
    for (const turn of turns) {
      const ref = refs[turn % refs.length] ?? ''
      const tags = turn % 4 < 2 ? ['even'] : ['odd']
      const made = await this.#call('POST', entriesOf(ref), { content: `outside ${this.written++}`, tags })
      assert.equal(made.status, 201, made.text)
      this.add(ref, made.body)
      const [target] = this.#live.splice(Math.floor(Math.random() * this.#live.length), 1)
      assert.ok(target)
      const gone = await this.#call('DELETE', `${entriesOf(target.ref)}/${target.id}`)
      assert.equal(gone.status, 200, gone.text)
      this.deleted++
    }
  }
}

async function seed(call: Call, ref: string, count: number): Promise<Entry[]> {
  const entries = Array.from({ length: count }, (_, index) => ({
    content: `seed ${index}`,
    tags: [index % 2 === 0 ? 'even' : 'odd'],
  }))
  const made = await call('POST', `${entriesOf(ref)}:batch`, { entries })
  assert.equal(made.status, 201, made.text)
  return made.body.entries
}

async function answerAll(call: Call, runIds: readonly string[], nodeId: string): Promise<void> {
  const body = { resumeValue: { action: 'accept' } }
  const answers = await Promise.all(runIds.map((runId) => call('POST', `/v1/runs/${runId}/interrupts/${nodeId}`, body)))
  for (const answer of answers) assert.equal(answer.status, 200, answer.text)
}

/** Asked of the list, which is small: these runs hold much. */
async function allWait(call: Call, runIds: readonly string[]): Promise<void> {
  await eventually('all runs wait for an answer', async () => {
    const { body } = await call('GET', `${host}/runs?limit=500&status=waiting-approval`)
    const waiting = new Set(body.runs.map(({ runId }: { runId: string }) => runId))
    return runIds.every((runId) => waiting.has(runId))
  })
}

type Inputs = { readonly ref: string; readonly kept: string; readonly victim: string; readonly name: string }

/** Each look shows what the run's snapshot held, below what it wrote itself by then; nothing else, nothing less. */
async function checkRun(call: Call, runId: string, inputs: Inputs): Promise<number> {
  const run = await ended(call, runId)
  assert.equal(run.status, 'completed', JSON.stringify(run.error))
  const { variables } = run
  const reads = (await call('GET', `${host}/runs/${runId}/reads`)).body
  const { position } = reads.snapshot
  const past = async (query: string) =>
    (await call('GET', `${entriesOf(inputs.ref)}?limit=500&asOf=${position}${query}`)).body.entries as Entry[]
  const [all, even] = [await past(''), await past('&tag=even')]
  const find = (id: string) => all.find((entry) => entry.id === id) ?? null
  const journal: object[] = []
  for (const [name, names] of Object.entries(ownBy)) {
    const mine = names.map((written) => variables[`put_${written}`] as Entry)
    const expected = {
      list: [...mine, ...all],
      tag: [...mine, ...even],
      get: find(inputs.kept),
      victim: find(inputs.victim),
    }
    for (const [kind, shown] of Object.entries(expected)) {
      assert.deepEqual(variables[`${kind}_${name}`], shown, `${kind} at the ${name} look of ${runId}`)
      const entryIds = [shown].flat().flatMap((entry) => (entry === null ? [] : [entry.id]))
      const op = kind === 'list' || kind === 'tag' ? 'list' : 'get'
      journal.push({ nodeId: `${kind}-${name}`, op, memoryRef: inputs.ref, entryIds, position })
    }
  }
  const listed = reads.reads.map(({ sequence: _sequence, at: _at, ...read }: Record<string, unknown>) => read)
  assert.deepEqual(listed, journal, 'the journal shows what was read')
  assert.equal(variables.deleted, true)
  return position as number
}

async function readUnderWrites(storage: StorageName, note: (text: string) => void): Promise<void> {
  await using server = await startServer({ storage })
  const { call } = server
  await register(call, reader)
  const outsider = new Outsider(call)
  const seeds = new Map<string, Entry[]>()
  for (const ref of refs) seeds.set(ref, await seed(call, ref, seedsPerRef + runsCount / refs.length))
  for (const [ref, known] of seeds) for (const entry of known.slice(0, seedsPerRef)) outsider.add(ref, entry)
  const runs = new Map<string, Inputs>()
  const start = async (index: number) => {
    const ref = refs[index % refs.length] ?? ''
    const known = (seeds.get(ref) ?? []).map(({ id }) => id)
    const place = seedsPerRef + Math.floor(index / refs.length)
    // Half of them keep an eye on what another run deletes, the others on what the outsider may.
    const [kept = '', victim = ''] = [known[index % 4 < 2 ? place - 1 : index % seedsPerRef], known[place]]
    const inputs = { ref, kept, victim, name: `run ${index}` }
    runs.set(await startRun(call, 'reader', { inputs }), inputs)
  }
  const operations = (outsideWrites + outsideDeletes) / 4
  const runIds = () => [...runs.keys()]
  // Runs begin in the middle of the writing, one after the other, so hardly two have the same snapshot.
  const starting = (async () => {
    for (let index = 0; index < runsCount; index++) await start(index)
  })()
  await Promise.all([outsider.work(operations), starting])
  await allWait(call, runIds())
  // All of this lies between two looks of every run.
  await outsider.work(operations)
  const passing = answerAll(call, runIds(), 'gate-one').then(() => allWait(call, runIds()))
  await Promise.all([outsider.work(operations), passing])
  for (const ref of refs) {
    const written = (await call('GET', `${entriesOf(ref)}?limit=500&tag=source:run`)).body.entries
    for (const entry of written) outsider.add(ref, entry)
  }
  await Promise.all([outsider.work(operations), answerAll(call, runIds(), 'gate-two')])

  const positions = new Set<number>()
  for (const [runId, inputs] of runs) positions.add(await checkRun(call, runId, inputs))
  note(`${runs.size} runs, ${positions.size} snapshots, ${outsider.written} writes, ${outsider.deleted} deletes`)
  assert.deepEqual([runs.size, outsider.written, outsider.deleted], [runsCount, outsideWrites, outsideDeletes])
  assert.ok(positions.size > 5, 'the runs began at too few moments to prove anything')

  for (const ref of refs) {
    const now = (await call('GET', `${entriesOf(ref)}?limit=500`)).body.entries
    const [first, second] = seeds.get(ref) ?? []
    const inputs = { ref, kept: first?.id ?? '', victim: second?.id ?? '', name: 'late' }
    const late = await startRun(call, 'reader', { inputs })
    await allWait(call, [late])
    const { variables } = (await call('GET', `/v1/runs/${late}`)).body
    assert.deepEqual(variables.list_first, now, 'a run that begins now sees what is there now')
  }
  assert.equal((await call('GET', '/v1/audit/verify')).body.chainValid, true)
}

for (const storage of storagesOfBehaviour) {
  test(`${storage}: ${runsCount} runs at once read their snapshots while others write and delete`, deadline, (t) =>
    readUnderWrites(storage, (text) => t.diagnostic(text)),
  )
}
