import { createHash } from 'node:crypto'

/** Calls of one tenant that could block other tenants: each is a valid request with a key of that tenant. */

export type Answer = { readonly status: number; readonly body: string }
export type Send = (method: string, path: string, body?: unknown, type?: string) => Promise<Answer>

export type Attack = {
  readonly name: string
  /** The set-up of the attack; not measured. */
  prepare?(send: Send): Promise<unknown>
  /** The hostile calls. */
  strike(send: Send): Promise<readonly Answer[]>
}

const host = '/v1/host/colophon'
const entries = `${host}/memory/hostile/entries`
const bodyBytes = 7_800_000
const contentBytes = 65_000

const fill = (unit: string, length: number) => unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
const times = async <T>(count: number, work: (at: number) => Promise<T>) => {
  const all: T[] = []
  for (let at = 0; at < count; at++) all.push(await work(at))
  return all
}

/** The texts that the built-in rules take longest to read. */
const hostileUnits = ['api_key=', 'pass:', 'api_key="a1', '密码:', ' -U']

/** What is repeated to words of thousands of letters: stems, parts of compounds, and letters that become several. */
const letters = ["a'b'", 'haupt', 'Kranken', 'schule', 'ae', 'ing', 'Aa', 'İ', 'ﷺ', 'a\u0301']

/** Each text is unique, so that no scan can be cached. */
const batchOf = (unit: string) => {
  const length = Math.floor(contentBytes / (Buffer.byteLength(JSON.stringify(unit)) - 2)) * unit.length
  return { entries: Array.from({ length: 119 }, (_, at) => ({ content: `${at} ${fill(unit, length - 5)}` })) }
}

const nodeOf = (id: string) => ({
  id,
  name: id,
  typeId: 'core.noop',
  position: { x: 0, y: 0 },
  config: {},
  inputs: {},
})

const workflowOf = (id: string, node: object, more: object = {}) => ({
  id,
  name: id,
  version: '1.0.0',
  nodes: [{ id: 'one', name: 'one', typeId: 'core.noop', position: { x: 0, y: 0 }, config: {}, inputs: {}, ...node }],
  edges: [],
  triggers: [],
  variables: [],
  metadata: {},
  settings: {},
  ...more,
})

async function finished(send: Send, made: Answer): Promise<Answer> {
  const { runId } = JSON.parse(made.body) as { runId?: string }
  if (runId === undefined) return made
  for (;;) {
    const run = await send('GET', `/v1/runs/${runId}`)
    if (!['pending', 'running'].includes((JSON.parse(run.body) as { status: string }).status)) return run
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function jobDone(send: Send, jobId: string): Promise<Answer> {
  for (;;) {
    const job = await send('GET', `${host}/jobs/${jobId}`)
    if (!['queued', 'leased', 'running', 'retrying'].includes((JSON.parse(job.body) as { status: string }).status))
      return job
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const add = (content: string, count: number) => ({
  external_user_id: 'ada',
  messages: Array.from({ length: count }, (_, at) => ({ role: 'user', content: `${at} ${content}` })),
})

async function added(send: Send, body: object): Promise<Answer> {
  const answer = await send('POST', '/v1/memories/add', body)
  const { job_id: jobId } = JSON.parse(answer.body) as { job_id?: string }
  if (jobId !== undefined) await jobDone(send, jobId)
  return answer
}

/** Sentences that look like something to remember. */
const sayings = (length: number) => {
  let text = ''
  for (let at = 0; text.length < length; at++)
    text += `I prefer tea number ${at} from Berlin, and my key is under mat ${at}. `
  return text.slice(0, length)
}

/** Without a literal that a text could be searched for first; the last one reads to the end of the text for each match. */
const costlyPatterns = [
  '(?i)(?:\\pL{1,40}[^z]){1,20}[zZ]',
  '(?:[a-y ]{1,50}[^0-9]){1,9}[zZ]',
  '(?:[a-f ]?){150}[a-f ]{150}[xyz]',
  'a(?s:.)*[0-9]|a',
]

/** A body of nothing but arrays in arrays. */
const deep = (levels: number) => `{"content":${'['.repeat(levels)}${']'.repeat(levels)}}`

export const attacks: readonly Attack[] = [
  ...hostileUnits.map(
    (unit): Attack => ({
      name: `batch of 7.8 MB of ${JSON.stringify(unit)}`,
      strike: async (send) => [await send('POST', `${entries}:batch`, batchOf(unit))],
    }),
  ),
  {
    name: 'put of 7.8 MB in one content',
    strike: async (send) => [await send('POST', entries, { content: fill('api_key=', bodyBytes) })],
  },
  {
    name: '64 puts of 64 KB at once',
    strike: (send) =>
      Promise.all(
        Array.from({ length: 64 }, (_, at) =>
          send('POST', entries, { content: `${at} ${fill('api_key=', contentBytes)}` }),
        ),
      ),
  },
  {
    name: 'tags: 500 entries with 64 long ones',
    strike: async (send) => [
      await send('POST', `${entries}:batch`, {
        entries: Array.from({ length: 500 }, (_, n) => ({
          content: 'x',
          tags: Array.from({ length: 64 }, (_, at) => `${n}-${at}-${fill('api_key=', 200)}`),
        })),
      }),
    ],
  },
  {
    name: 'JSON of 7.8 MB, deep and wide',
    strike: async (send) => [
      await send('POST', entries, deep(3_900_000)),
      await send('POST', '/v1/runs', `{"workflowId":"noop","inputs":${deep(500_000)}}`),
      await send('POST', '/v1/runs', {
        workflowId: 'none',
        inputs: { x: Array.from({ length: 1_900_000 }, () => 'a') },
      }),
    ],
  },
  {
    name: 'add of 1 MB of hostile messages',
    strike: async (send) => [await added(send, add(fill('api_key=', 9_000), 100))],
  },
  {
    name: 'add of 1 MB in one message',
    strike: async (send) => [
      await added(send, add(fill('api_key=', 1_000_000), 1)),
      await added(send, add(sayings(1_000_000), 1)),
    ],
  },
  {
    name: 'add of 200 messages of sentences, verbatim',
    strike: async (send) => [await added(send, { ...add(sayings(5_000), 200), infer: false })],
  },
  {
    name: 'extract:preview of 1 MB',
    strike: async (send) => [
      await send('POST', `${host}/extract:preview`, { messages: add(sayings(1_000_000), 1).messages }),
      await send('POST', `${host}/extract:preview`, { messages: add(fill('api_key=', 1_000_000), 1).messages }),
      await send('POST', `${host}/extract:preview`, { messages: add(fill('My name is ', 1_000_000), 1).messages }),
    ],
  },
  {
    name: 'run inputs of 1 MB',
    prepare: (send) => send('POST', `${host}/workflows`, workflowOf('noop', {})),
    strike: async (send) => [
      await finished(
        send,
        await send('POST', '/v1/runs', { workflowId: 'noop', inputs: { x: fill('api_key=', 1_000_000) } }),
      ),
    ],
  },
  {
    name: 'templates that fill 1 MB, 20 nodes',
    prepare: async (send) => {
      const nodes = Array.from({ length: 20 }, (_, at) => ({
        id: `n${at}`,
        name: `n${at}`,
        typeId: 'core.identity',
        position: { x: 0, y: 0 },
        config: {},
        inputs: { x: { type: 'static', value: '{{inputs.x}}'.repeat(10) } },
      }))
      const edges = nodes.slice(1).map(({ id }, at) => ({ id: `e${at}`, sourceNodeId: `n${at}`, targetNodeId: id }))
      await send('POST', `${host}/workflows`, workflowOf('templates', {}, { nodes, edges }))
    },
    strike: async (send) => [
      await finished(
        send,
        await send('POST', '/v1/runs', { workflowId: 'templates', inputs: { x: fill('pass:', 100_000) } }),
      ),
    ],
  },
  {
    name: 'a run of 200 nodes with 100 webhooks',
    prepare: async (send) => {
      await times(100, (at) => send('POST', '/v1/webhooks', { url: `https://hooks.example.com/${at}`, events: ['*'] }))
      const nodes = Array.from({ length: 200 }, (_, at) => nodeOf(`n${at}`))
      const edges = nodes.slice(1).map(({ id }, at) => ({ id: `e${at}`, sourceNodeId: `n${at}`, targetNodeId: id }))
      await send('POST', `${host}/workflows`, workflowOf('many', {}, { nodes, edges }))
    },
    strike: async (send) => {
      const run = await finished(send, await send('POST', '/v1/runs', { workflowId: 'many' }))
      const { runId = '' } = JSON.parse(run.body) as { runId?: string }
      return [run, await jobDone(send, `job_events_${runId.replace('run_', '')}`)]
    },
  },
  {
    name: 'conditions with costly patterns on 1 MB',
    prepare: async (send) => {
      const nodes = ['one', 'two'].map(nodeOf)
      const edges = Array.from({ length: 40 }, (_, at) => ({
        id: `e${at}`,
        sourceNodeId: 'one',
        targetNodeId: 'two',
        triggerRule: 'all_success',
        condition: { type: 'regex', left: 'inputs.x', right: costlyPatterns[at % costlyPatterns.length] },
      }))
      await send('POST', `${host}/workflows`, workflowOf('regex', {}, { nodes, edges }))
    },
    strike: async (send) => [
      await finished(
        send,
        await send('POST', '/v1/runs', { workflowId: 'regex', inputs: { x: fill('abcdef ', 1_000_000) } }),
      ),
    ],
  },
  {
    name: 'costly rules, then 64 KB and 2 KB',
    prepare: async (send) => {
      for (const [at, pattern] of costlyPatterns.entries()) await send('PUT', `${host}/rules/costly-${at}`, { pattern })
    },
    strike: async (send) => [
      await send('POST', entries, { content: fill('abcdef ', contentBytes) }),
      await send('POST', entries, { content: fill('abcdef ', 2_000) }),
      await send('POST', `${host}/rules:test`, { text: fill('abcdef ', contentBytes), pattern: costlyPatterns[0] }),
    ],
  },
  {
    name: 'rules:test with costly patterns',
    strike: (send) =>
      times(costlyPatterns.length, (at) =>
        send('POST', `${host}/rules:test`, { text: fill('abcdef ', contentBytes), pattern: costlyPatterns[at] }),
      ),
  },
  {
    name: 'a secret of 41,070 three-byte characters',
    strike: async (send) => [
      await send('PUT', `${host}/secrets/wide`, {
        value: Array.from({ length: 41_070 }, (_, at) => String.fromCharCode(0x4e00 + ((at * 7_919) % 20_000))).join(
          '',
        ),
      }),
      await send('POST', entries, { content: 'Ada prefers tea.' }),
    ],
  },
  {
    name: '40 secrets of 64 KB',
    strike: (send) =>
      times(40, async (at) => {
        const value = Array.from({ length: 65_000 }, (_, n) =>
          String.fromCharCode(0x4e00 + (((at + 1) * n * 7_919) % 20_000)),
        ).join('')
        const put = await send('PUT', `${host}/secrets/wide-${at}`, { value })
        await send('POST', entries, { content: 'Ada prefers tea.' })
        return put
      }),
  },
  {
    name: '300 secrets, one after the other, each with a put',
    strike: (send) =>
      times(300, async (at) => {
        const put = await send('PUT', `${host}/secrets/s-${at}`, {
          value: `a1B2c3D4/e5F6+g7H8 ${at} ${'é'.repeat(300)}`,
        })
        await send('POST', entries, { content: 'Ada prefers tea.' })
        return put
      }),
  },
  {
    name: 'import of 7.8 MB',
    strike: async (send) => {
      await send('POST', `${host}/memory/exported/entries`, { content: 'Ada prefers tea.' })
      const { body } = await send('GET', `${host}/export`)
      const lines = body
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
      const version = lines.find(({ type }) => type === 'version') ?? {}
      const many = Array.from({ length: 119 }, (_, n) => ({
        ...version,
        entryId: `mem_0198c0de-7a1b-7c2d-8e3f-${String(n).padStart(12, '0')}`,
        ordinal: n,
        content: `${n} ${fill('api_key=', contentBytes)}`,
      }))
      const header = lines[0] as { counts: Record<string, number> }
      const counted = { ...header, counts: { ...header.counts, versions: many.length } }
      const rest = lines.slice(1).filter(({ type }) => type !== 'version' && type !== 'trailer')
      const text = [counted, ...rest, ...many].map((line) => `${JSON.stringify(line)}\n`).join('')
      const sha256 = createHash('sha256').update(text).digest('hex')
      const trailer = JSON.stringify({ lines: 1 + rest.length + many.length, sha256, type: 'trailer' })
      return [await send('POST', `${host}/import?merge=true`, `${text}${trailer}\n`, 'application/x-ndjson')]
    },
  },
  {
    name: 'search and retrieve over 1,000 texts of 64 KB that wait for the index',
    prepare: async (send) => {
      for (let round = 0; round < 4; round++)
        await send('POST', `${host}/memory/subject%3Abob/entries:batch`, {
          entries: Array.from({ length: 119 }, (_, at) => ({ content: `${at} ${sayings(contentBytes - 10)}` })),
        })
    },
    strike: async (send) => [
      await send('POST', `${host}/memory/subject%3Abob/search`, { query: fill('tea berlin number ', 4_000) }),
      await send('POST', '/v1/memories/retrieve', {
        external_user_id: 'bob',
        query: fill('tea berlin number ', 4_000),
      }),
      await send('POST', `${host}/memory/subject%3Abob/search`, { query: 'tea', limit: 100 }),
    ],
  },
  {
    name: 'search and retrieve by letters without spaces, in a ref that does not exist',
    strike: (send) =>
      times(2 * letters.length, (at) => {
        const query = fill(letters[at % letters.length] as string, 4_000)
        return at < letters.length
          ? send('POST', `${host}/memory/none/search`, { query })
          : send('POST', '/v1/memories/retrieve', { external_user_id: 'none', query })
      }),
  },
  {
    name: 'search, with excerpts, in texts of 64 KB of letters without spaces',
    prepare: (send) =>
      send('POST', `${host}/memory/letters/entries:batch`, {
        entries: letters.concat('a ', '?[', 'A. ').flatMap((unit) =>
          Array.from({ length: 4 }, (_, at) => ({
            content: `${at} ${fill(unit, Math.floor((contentBytes - 10) / Buffer.byteLength(unit)) * unit.length)}`,
          })),
        ),
      }),
    strike: (send) =>
      times(letters.length, (at) =>
        send('POST', `${host}/memory/letters/search`, {
          query: `a ${fill(letters[at] as string, 3_000)}`,
          limit: 50,
          highlights: true,
          explain: true,
        }),
      ),
  },
  {
    name: 'batch of 7.8 MB of different words (index)',
    strike: async (send) => {
      let at = 0
      const words = () => {
        let text = ''
        while (text.length < contentBytes) text += `${(at++ * 7_919).toString(36)} `
        return text.slice(0, contentBytes)
      }
      const answer = await send('POST', `${host}/memory/words/entries:batch`, {
        entries: Array.from({ length: 119 }, () => ({ content: words() })),
      })
      await send('POST', `${host}/memory/words/search`, { query: 'tea' })
      return [answer]
    },
  },
  {
    name: 'lists, export and verify of 300 texts of 64 KB',
    prepare: async (send) => {
      for (let round = 0; round < 3; round++) await send('POST', `${entries}:batch`, batchOf('tea and milk '))
    },
    strike: async (send) => [
      await send('GET', `${entries}?limit=500`),
      await send('GET', '/v1/memory/hostile?limit=500'),
      await send('GET', `${host}/export`),
      await send('GET', '/v1/audit/verify'),
      await send('GET', `${host}/stats`),
    ],
  },
  {
    name: 'compaction of 262 KB',
    prepare: async (send) => {
      await send('PATCH', '/v1/tenant/settings', { compaction: { keep_newest: 0, min_entries: 2, min_age_days: 0 } })
      await send('POST', `${host}/memory/compacted/entries:batch`, {
        entries: Array.from({ length: 60 }, (_, at) => ({ content: `${sayings(4_000)} ${at}` })),
      })
      await send('POST', `${host}/memory/compacted-2/entries:batch`, {
        entries: Array.from({ length: 4 }, (_, at) => ({ content: `${at} ${fill('api_key=', contentBytes - 10)}` })),
      })
    },
    strike: (send) =>
      Promise.all(
        ['compacted', 'compacted-2'].map(async (memoryRef) => {
          const answer = await send('POST', `${host}/compactions`, { memoryRef, maxInputEntries: 1_000 })
          const { jobId } = JSON.parse(answer.body) as { jobId?: string }
          return jobId === undefined ? answer : jobDone(send, jobId)
        }),
      ),
  },
  {
    name: 'forget of 300 texts of 64 KB',
    prepare: async (send) => {
      for (let round = 0; round < 3; round++) await send('POST', `${entries}:batch`, batchOf('tea and milk '))
    },
    strike: async (send) => {
      const answer = await send('POST', `${host}/forget`, { memoryRef: 'hostile', reason: 'bench' })
      const { id } = JSON.parse(answer.body) as { id?: string }
      for (;;) {
        const forget = await send('GET', `${host}/forget/${id}`)
        const { status } = JSON.parse(forget.body) as { status?: string }
        if (status === undefined || ['done', 'failed', 'completed'].includes(status)) return [answer]
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
  },
]
