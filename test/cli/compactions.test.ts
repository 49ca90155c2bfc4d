import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { waysOfBehaviour } from '../support/cli-ways.ts'
import { releaseServer } from '../support/databases.ts'

after(releaseServer)

for (const [name, open] of waysOfBehaviour) {
  test(`compaction at the command line, ${name}`, async () => {
    await using way = await open()
    for (const content of ['Ada likes tea.', 'Bob likes coffee.']) await way.text('put', 'log', content)
    const before = (await way.json('list', 'log')).entries
    assert.match(await way.text('compact', 'log', '--dry-run'), /^2 entries would become 1\n/)
    const made = await way.json('compact', 'log', '--wait', '--max-output', '1000')
    assert.deepEqual([made.status, made.sourceCount, made.result.compactions], ['completed', 2, 1])
    const [output] = (await way.json('list', 'log')).entries
    assert.equal(output.content, 'Ada likes tea.\nBob likes coffee.')
    assert.match(
      await way.text('compactions', 'list', '--ref', 'log'),
      new RegExp(`${made.id} +log +completed +summary +2 +${output.id}`),
    )
    assert.match(await way.text('compactions', 'show', made.id), new RegExp(before[0].id))
    assert.match(await way.text('trace', output.id), new RegExp(`${made.id} made it of 2 entries`))
    assert.match(await way.text('trace', before[0].id), new RegExp(`compacted into ${output.id}`))
    assert.match(await way.text('compactions', 'undo', made.id), /status +undone/)
    assert.deepEqual((await way.json('list', 'log')).entries, before)
    assert.match(await way.fails(4, 'compactions', 'undo', made.id), /compaction_state/)
    await way.fails(3, 'compactions', 'show', 'cmp_unknown')
    await way.fails(2, 'compact', 'log', '--max-input', 'many')
    await way.fails(3, 'compact', 'mistyped', '--wait')
    assert.equal((await way.json('compact', 'log', '--keep-newest', '1000', '--wait')).status, 'empty')
  })
}
