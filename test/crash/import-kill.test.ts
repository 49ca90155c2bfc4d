import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { checkExportFile, partsOf } from '../../src/cli/export-file.ts'
import { createClient } from '../../src/client/index.ts'
import { runCli } from '../support/cli.ts'
import { releaseServer } from '../support/databases.ts'
import { createHome, storagesOfBehaviour } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createFolder } from '../support/temporary-folder.ts'

after(releaseServer)

const host = '/v1/host/colophon'

for (const storage of storagesOfBehaviour) {
  test(`an import whose server is killed resumes where it stopped, on ${storage}`, async () => {
    const folder = createFolder()
    const file = folder.file('memory.ndjson')
    await using source = await startServerProcess()
    const tenant = await source.tenant()
    for (let batch = 0; batch < 8; batch++) {
      const entries = Array.from({ length: 500 }, (_, i) => ({ content: `Note ${batch}-${i} ${'x'.repeat(300)}` }))
      assert.equal((await tenant.call('POST', `${host}/memory/notes/entries:batch`, { entries })).status, 201)
    }
    const connection = ['--url', source.url, '--key', tenant.key]
    assert.equal((await runCli([...connection, 'export', file])).code, 0)

    await using home = await createHome(storage)
    const checked = await checkExportFile(file)
    const first = await startServerProcess({ storage, home })
    const client = createClient({ url: first.url, key: first.key, retry: { retries: 0 } })
    // The first part is stored, the second is being imported when the server is killed.
    const parts = partsOf(file, checked)
    const one = (await parts.next()).value as { text: string }
    const { nextLine } = await client.import(one.text)
    const two = (await parts.next()).value as { text: string }
    const sending = client.import(two.text).catch(() => null)
    await first.kill()
    await sending

    await using second = await startServerProcess({ storage, home })
    const call = second.call
    const again = await runCli(['--url', second.url, '--key', second.key, '--json', 'import', file])
    assert.equal(again.code, 0, again.stderr)
    const result = JSON.parse(again.stdout)
    assert.deepEqual([result.finished, result.conflicts], [true, []])
    assert.ok(result.skipped >= nextLine - 1, 'what was stored is not stored again')
    const { refs } = (await call('GET', `${host}/memory`)).body
    assert.deepEqual(
      refs.map(({ memoryRef, entries }: Record<string, unknown>) => [memoryRef, entries]),
      [['notes', 4_000]],
    )
    const copy = folder.file('copy.ndjson')
    assert.equal((await runCli(['--url', second.url, '--key', second.key, 'export', copy])).code, 0)
    const versions = (path: string) =>
      readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line.includes('"type":"version"'))
        .map((line) => JSON.parse(line) as { entryId: string; content: string })
        .map(({ entryId, content }) => `${entryId} ${content}`)
    assert.deepEqual(versions(copy), versions(file))
    const verdict = (await call('GET', '/v1/audit/verify?contents=true')).body
    assert.equal(verdict.chainValid, true, JSON.stringify(verdict))
    folder.remove()
  })
}
