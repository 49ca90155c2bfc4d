import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type CliResult, runCli } from '../support/cli.ts'
import { ways, waysOfBehaviour } from '../support/cli-ways.ts'
import { createHome } from '../support/server.ts'

function assertDone({ code, stderr, stdout }: CliResult): string {
  assert.equal(code, 0, stderr)
  assert.equal(stderr, '')
  return stdout
}

for (const [name, open] of Object.entries(ways)) {
  describe(name, () => {
    test('an entry is put, listed, read and deleted', async () => {
      await using way = await open()
      const { cli } = way
      const id = assertDone(
        await cli(['put', 'notes', 'Ada prefers tea', '-t', 'drinks', 'people', '--subject', 'ada']),
      ).trim()
      assert.match(id, /^mem_[0-9a-f-]{36}$/)
      assertDone(await cli(['put', 'notes', 'Bob prefers coffee']))
      const list = assertDone(await cli(['list', 'notes']))
      assert.match(list, /Bob prefers coffee[\s\S]*Ada prefers tea/)
      assert.ok(list.includes(id))
      assert.equal(assertDone(await cli(['get', 'notes', id])), 'Ada prefers tea\n')
      assert.match(assertDone(await cli(['refs'])), /^notes\s+2\s/m)
      const found = assertDone(await cli(['search', 'notes', 'who is preferring teas?', '--explain']))
      assert.match(found, /parts[\s\S]*Ada prefers tea.*words[\s\S]*Bob prefers coffee/)
      assert.doesNotMatch(assertDone(await cli(['search', 'notes', 'tea', '--tag', 'drinks', '-n', '1'])), /Bob/)
      assert.equal((await cli(['search', 'notes', 'tea', '--as-of', '999'])).code, 4)
      const cut = await cli(['search', 'notes', 'tea', '--min-relevance', '1'])
      assert.match(cut.stderr, /--explain shows what was left out/)
      assert.equal(assertDone(await cli(['revise', 'notes', id, 'Ada prefers green tea'])).trim(), id)
      assert.equal(assertDone(await cli(['get', 'notes', id])), 'Ada prefers green tea\n')
      assert.equal(assertDone(await cli(['delete', 'notes', id])), 'deleted\n')
      assert.equal(
        assertDone(await cli(['delete', 'notes', id])),
        `nothing was deleted: there is no entry ${id} under notes\n`,
      )
      assert.equal((await cli(['get', 'notes', id])).code, 3)
    })
  })
}

for (const [name, open] of waysOfBehaviour) {
  describe(name, () => {
    test('with --json every command prints one JSON document', async () => {
      await using way = await open()
      const json = async (...args: string[]) => JSON.parse(assertDone(await way.cli([...args, '--json'])))
      const entry = await json('put', 'a/b:c', 'x', '-t', 'one', 'two')
      assert.deepEqual(entry.tags, ['one', 'two', 'source:api'])
      await json('put', 'a/b:c', 'y')
      const page = await json('list', 'a/b:c', '--limit', '1')
      assert.deepEqual(
        page.entries.map((shown: { content: string }) => shown.content),
        ['y'],
      )
      assert.deepEqual((await json('list', 'a/b:c', '--cursor', page.cursor)).entries, [entry])
      assert.deepEqual((await json('list', 'a/b:c', '--tag', 'one', '--as-of', '1')).entries, [entry])
      assert.deepEqual(await json('get', 'a/b:c', entry.id), entry)
      assert.deepEqual((await json('search', 'a/b:c', 'x')).results[0].entry, entry)
      assert.deepEqual((await json('refs')).refs[0].memoryRef, 'a/b:c')
      assert.deepEqual(await json('delete', 'a/b:c', entry.id), { deleted: true })
    })

    test('content comes from standard input when it is not given, as it is', async () => {
      await using way = await open()
      const text = 'first line\n\n  second line \u{1f375}\t"x"\n'
      const { id, content } = JSON.parse(assertDone(await way.cli(['put', 'notes', '--json'], text)))
      assert.equal(content, text.slice(0, -1))
      assert.equal(assertDone(await way.cli(['get', 'notes', id])), text)
    })
  })
}

test('--tenant chooses whose memory it is when the folder is used directly', async () => {
  await using home = await createHome('sqlite')
  const cli = (...args: string[]) => runCli(args, { env: home.env })
  assertDone(await cli('tenants', 'create', 'acme'))
  assertDone(await cli('--tenant', 'acme', 'put', 'notes', 'of acme'))
  assert.match(assertDone(await cli('--tenant', 'acme', 'list', 'notes')), /of acme/)
  assert.doesNotMatch(assertDone(await cli('list', 'notes')), /of acme/)
})
