import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { ways, waysOfBehaviour } from '../support/cli-ways.ts'
import { createFolder } from '../support/temporary-folder.ts'

for (const [name, open] of waysOfBehaviour) {
  describe(`colophon export and import, ${name}`, () => {
    test('a file moves memory to another data folder, and moving it twice changes nothing', async () => {
      const folder = createFolder()
      const file = folder.file('memory.ndjson')
      await using from = await open()
      await using to = await ways.embedded()
      await from.text('put', 'people/ada', 'Ada moved to Lisbon.', '--tag', 'address')
      await from.text('put', 'people/bob', 'Bob stays.')
      const made = await from.json('export', file)
      assert.match(made.sha256, /^[0-9a-f]{64}$/)
      assert.equal(statSync(file).mode & 0o777, 0o600)
      assert.equal(await from.text('export', '--ref', 'people/bob').then((text) => text.includes('Lisbon')), false)

      const first = await to.json('import', file, '--trust', 'agent')
      assert.deepEqual([first.finished, first.base, first.conflicts], [true, 0, []])
      // The other data folder has a signing key of its own.
      assert.deepEqual([first.signature, first.writersToBind], [{ status: 'unknown', keyId: made.keyId }, []])
      const [moved] = (await to.json('list', 'people/ada')).entries
      assert.match(await to.text('trace', moved.id), /imported .*signature of the file is unknown/)
      assert.match(await to.text('list', 'people/ada'), /Ada moved to Lisbon/)
      assert.equal((await to.json('import', file)).imported, 0)
      await to.text('audit', 'verify', '--contents')

      // The second export has every line of the first, and tells of the import besides.
      const copy = folder.file('copy.ndjson')
      await to.text('export', copy)
      const lines = readFileSync(copy, 'utf8').split('\n')
      for (const line of readFileSync(file, 'utf8').split('\n').slice(1, -2)) assert.ok(lines.includes(line), line)
      folder.remove()
    })

    test('a file that was cut off or changed, or is none, is refused before anything is sent', async () => {
      const folder = createFolder()
      const file = folder.file('memory.ndjson')
      await using way = await open()
      await way.text('put', 'people/ada', 'Ada moved to Lisbon.')
      await way.text('export', file)
      const whole = readFileSync(file, 'utf8')
      truncateSync(file, whole.length - 30)
      assert.match(await way.fails(4, 'import', file), /import_file_invalid/)
      writeFileSync(file, whole.replace('Lisbon', 'London'))
      assert.match(await way.fails(4, 'import', file), /import_file_invalid/)
      await way.fails(2, 'import', folder.file('nothing'))
      assert.match(await way.fails(2, 'export', folder.file('nothing/file')), /cannot be written/)
      // Whoever changes a line can fit the digest to it, but not the signature.
      const lines = whole.replace('Lisbon', 'London').trimEnd().split('\n')
      const trailer = JSON.parse(lines.pop() ?? '')
      const sha256 = createHash('sha256')
        .update(`${lines.join('\n')}\n`)
        .digest('hex')
      writeFileSync(file, `${[...lines, JSON.stringify({ ...trailer, sha256 })].join('\n')}\n`)
      assert.match(await way.fails(4, 'import', file), /import_file_invalid.*\n?.*signature/s)
      writeFileSync(file, whole)
      assert.match(await way.fails(4, 'import', file), /tenant_not_empty/)
      folder.remove()
    })

    test('a plain file of JSON lines becomes entries, once', async () => {
      const folder = createFolder()
      const file = folder.file('notes.jsonl')
      const line = (number: number) =>
        JSON.stringify({ text: { body: `Note ${number}.` }, labels: ['old'], who: 'ada', when: 1_700_000_000 + number })
      writeFileSync(file, `${Array.from({ length: 1_203 }, (_, i) => line(i)).join('\n')}\n\n`)
      await using way = await open()
      const args = ['import', '--plain', file, '--ref', 'notes', '--content', 'text.body', '--tags', 'labels']
      const more = ['--subject', 'who', '--at', 'when', '--tag', 'imported']
      assert.deepEqual(await way.json(...args, ...more), { imported: 1_203, memoryRef: 'notes' })
      await way.text(...args, ...more)
      const { refs } = await way.json('refs')
      assert.equal(refs[0].entries, 1_203)
      const { entries } = await way.json('list', 'notes', '--limit', '1')
      assert.equal(entries[0].content, 'Note 1202.')
      assert.deepEqual(entries[0].tags.slice(0, 3), ['imported', 'old', 'at:2023-11-14T22:33:22.000Z'])
      await way.text('delete', 'notes', entries[0].id)
      const again = { imported: 1_000, skipped: 203, memoryRef: 'notes' }
      assert.deepEqual(await way.json(...args, ...more), again, 'what was deleted does not come back')
      assert.equal((await way.json('refs')).refs[0].entries, 1_202)
      writeFileSync(file, `${line(1)}\n{"text":1}\n`)
      assert.match(await way.fails(4, ...args), /line 2: has no text at text\.body/)
      await way.fails(2, 'import', '--plain', file)
      folder.remove()
    })
  })
}
