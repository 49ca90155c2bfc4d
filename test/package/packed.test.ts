import assert from 'node:assert/strict'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import { type Env, startServer } from '../support/server.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { isThorough } from '../support/thorough.ts'
import { consumerConfig, consumerProgram } from './consumer.ts'
import {
  importedFrom,
  importedPackages,
  inApp,
  installInto,
  loadedFiles,
  type Packed,
  packInto,
  root,
  type Served,
  serveFrom,
} from './packed.ts'

const packedBytesMax = 1_610_000
const unpackedBytesMax = 5_900_000
const clientGzipBytesMax = 10 * 1_024

type Manifest = { readonly version: string } & Record<
  'scripts' | 'dependencies' | 'peerDependencies',
  Record<string, string>
>

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
const { version } = manifest

describe('the package as it is published', () => {
  const folder = createFolder()
  let packed: Packed
  before(async () => {
    packed = await packInto(folder)
  })
  after(() => folder.remove())

  test('has the needed files and nothing else', () => {
    const allowed = [
      /^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/,
      /^dist\/(?!console\/)[\w/-]+\.(js|d\.ts)$/,
      /^dist\/LICENSES\.txt$/,
      /^dist\/adapters\/(sqlite|postgres)\/migrations\/\d{4}-[\w-]+\.sql$/,
      /^dist\/adapters\/postgres\/schema\.txt$/,
      /^dist\/console\/(index\.html|icon\.svg|assets\/[\w-]+\.(js|css))$/,
    ]
    const unexpected = packed.files.filter((file) => !allowed.some((pattern) => pattern.test(file)))
    assert.deepEqual(unexpected, [])
    assert.deepEqual(
      packed.files.filter((file) => /\.test\.|bench|\.map$/.test(file)),
      [],
    )
  })

  test('has the program, the console, the migrations and every entry point', () => {
    const entries = [
      'index',
      'client/index',
      'adapters/postgres/index',
      'store',
      'testing/index',
      'integrations/adk',
      'integrations/ai-sdk',
      'integrations/anthropic',
      'integrations/claude-agent',
      'integrations/langgraph',
      'integrations/llamaindex',
      'integrations/mastra',
      'integrations/openai-agents',
      'integrations/strands',
      'nodes/index',
      'server/index',
    ]
    const wanted = [...entries.flatMap((name) => [`dist/${name}.js`, `dist/${name}.d.ts`]), 'dist/cli/main.js']
    for (const file of [...wanted, 'dist/console/index.html']) assert.ok(packed.files.includes(file), file)
    for (const kind of ['sqlite', 'postgres'])
      assert.ok(packed.files.some((file) => file.startsWith(`dist/adapters/${kind}/migrations/0001-`)))
  })

  test('is small', (context) => {
    const { packedBytes, unpackedBytes } = packed
    context.diagnostic(`${packedBytes} bytes packed, ${unpackedBytes} bytes unpacked, ${packed.files.length} files`)
    assert.ok(packedBytes <= packedBytesMax, `${packedBytes} bytes packed`)
    assert.ok(unpackedBytes <= unpackedBytesMax, `${unpackedBytes} bytes unpacked`)
  })

  test('is built when it is packed', () => {
    assert.equal(manifest.scripts.prepack, 'npm run build')
  })

  test('imports only packages that it declares, in code and in types', () => {
    const { dependencies, peerDependencies } = manifest
    const asked = new Set([...Object.keys(dependencies), ...Object.keys(peerDependencies)])
    for (const file of packed.files.filter((name) => /^dist\/(?!console).*\.(js|d\.ts)$/.test(name))) {
      const named = importedPackages(readFileSync(join(packed.stage, file), 'utf8'))
      for (const name of named) assert.ok(asked.has(name), `${file} names ${name}`)
    }
  })

  test('has the licence of every package that its code contains', () => {
    const licences = readFileSync(join(packed.stage, 'dist/LICENSES.txt'), 'utf8')
    for (const name of ['zod', 'fastify-type-provider-zod', '@fastify/error']) {
      const notice = new RegExp(`^${name} [\\d.]+\\n\\n[^]*?Copyright \\(c\\)`, 'm')
      assert.match(licences, notice)
    }
  })

  test('has no problem that publint reports', async () => {
    const { messages } = await publint({ pack: { tarball: Uint8Array.from(packed.tarball).buffer } })
    assert.deepEqual(messages, [])
  })

  describe('its client', () => {
    const entry = () => join(packed.stage, 'dist/client/index.js')

    test('is small: not even minified more than 10 kB, packed', () => {
      const code = [...loadedFiles(entry()).values()].join('')
      const bytes = gzipSync(code, { level: 9 }).length
      assert.ok(code.length > 20_000 && bytes <= clientGzipBytesMax, `${bytes} bytes`)
    })

    test('needs no package and nothing of Node', () => {
      for (const [file, code] of loadedFiles(entry())) {
        assert.doesNotMatch(code, /\bimport\(/, file)
        for (const target of importedFrom(code)) assert.match(target, /^\.{1,2}\/[\w/-]+\.js$/, file)
      }
    })

    test('works where there is nothing of Node: calls, pages, errors and streams', async () => {
      await using server = await startServer()
      const program = join(import.meta.dirname, 'browser-program.ts')
      const flags = ['--experimental-vm-modules', '--no-warnings']
      const printed = await inApp(root, process.execPath, [...flags, program, entry(), server.url, server.key])
      assert.deepEqual(JSON.parse(printed), {
        globals: ['undefined', 'undefined', 'undefined'],
        listed: ['Two.', 'One.'],
        refused: { code: 'unauthenticated', status: 401 },
        changes: 2,
      })
    })
  })

  describe('in an empty folder', () => {
    let app = ''
    let server: Served
    before(async () => {
      app = await installInto(folder, [folder.file(`colophon-${version}.tgz`), 'pg', '@types/node'])
      server = await serveFrom(app)
    })
    after(() => server?.stop())

    const call = (path: string, body?: unknown) =>
      fetch(server.url + path, {
        headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })

    test('npx colophon prints its version', async () => {
      assert.equal((await inApp(app, 'npx', ['colophon', '--version'])).trim(), version)
    })

    test('npx colophon serve is healthy, serves the console, stores and reads', async () => {
      const health = await fetch(`${server.url}/healthz`)
      assert.deepEqual([health.status, ((await health.json()) as { status: string }).status], [200, 'ok'])

      const page = await (await fetch(server.url)).text()
      const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(page) ?? []
      const asset = await fetch(new URL(script, server.url))
      assert.match(asset.headers.get('content-type') ?? '', /^text\/javascript/)
      assert.ok((await asset.text()).length > 100_000)

      const put = await call('/v1/host/colophon/memory/ada/entries', { content: 'Written by hand.' })
      assert.equal(put.status, 201)
      const { id } = (await put.json()) as { id: string }
      const got = await call(`/v1/host/colophon/memory/ada/entries/${id}`)
      assert.equal(((await got.json()) as { content: string }).content, 'Written by hand.')
    })

    // Each takes ten seconds. The commands of every guide also run from the source, in test/docs.
    for (const guide of ['README.md', ...(isThorough ? ['docs/guides/quick-start.md'] : [])]) {
      test(`after a login, every command of ${guide} works as printed`, async () => {
        const home = folder.file(`home of ${guide.replaceAll('/', ' ')}`)
        mkdirSync(home)
        const server = await serveFrom(app, home)
        // A function in place of the alias, which only a terminal has.
        const prelude = 'set -eu\ncolophon() { npx colophon "$@"; }\n'
        const run = (script: string, env: Env = {}) =>
          inApp(app, 'bash', ['-c', prelude + script], { HOME: home, XDG_CONFIG_HOME: home, ...env })
        try {
          await run(`printf %s "$KEY" | colophon login --url ${server.url}`, { KEY: server.key })
          for (const [, code = ''] of readFileSync(join(root, guide), 'utf8').matchAll(/^```sh\n(.*?)^```$/gms)) {
            // A machine may have no curl, and test/docs/shell.test.ts makes these requests.
            if (!code.includes('curl ')) await run(code.replaceAll('http://127.0.0.1:4242', server.url))
          }
        } finally {
          await server.stop()
        }
      })
    }

    test('a program imports every entry point, its types are valid, and it runs', async () => {
      writeFileSync(join(app, 'program.mts'), consumerProgram)
      cpSync(join(root, 'examples/storage-adapter'), join(app, 'storage-adapter'), { recursive: true })
      writeFileSync(join(app, 'tsconfig.json'), JSON.stringify(consumerConfig))
      const tsc = join(root, 'node_modules/typescript/bin/tsc')
      await inApp(app, process.execPath, [tsc, '--project', '.']).catch((error: { stdout?: string }) =>
        assert.fail(error.stdout ?? String(error)),
      )
      const env = { COLOPHON_URL: server.url, COLOPHON_API_KEY: server.key }
      assert.match(await inApp(app, process.execPath, ['program.mts'], env), /function function consumed/)
    })

    test('a storage adapter outside of the package passes the contract of entries', async () => {
      // The whole contract is run in the clone, by test/contract/example-adapter.test.ts.
      const args = ['--test', '--test-reporter=tap', '--test-name-pattern=/: entries|second opening/']
      const output = await inApp(app, process.execPath, [...args, 'storage-adapter/contract.test.ts'])
      assert.match(output, /^# fail 0$/m)
      assert.ok(Number(/^# pass (\d+)$/m.exec(output)?.[1]) > 10, output)
    })
  })
})
