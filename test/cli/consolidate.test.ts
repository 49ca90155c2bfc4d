import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { waysOfBehaviour } from '../support/cli-ways.ts'
import { releaseServer } from '../support/databases.ts'

after(releaseServer)

for (const [name, open] of waysOfBehaviour) {
  test(`consolidation at the command line, ${name}`, async () => {
    await using way = await open()
    for (const content of ['Ada likes tea.', 'Bob likes coffee.', 'ADA likes tea!'])
      await way.text('put', 'log', content)
    const before = (await way.json('list', 'log')).entries
    assert.match(
      await way.text('consolidate', 'log', '--dry-run'),
      /^3 entries would become 2\n(?:.*\n)*duplicate +2 +mem_/,
    )
    assert.equal((await way.json('list', 'log')).entries.length, 3)
    assert.match(await way.text('consolidate', 'log', '--wait'), /^3 entries became 2/)
    const again = await way.json('consolidate', 'log', '--wait')
    assert.deepEqual([again.result.inputCount, again.result.outputCount], [2, 2])
    const { compactions } = await way.json('compactions', 'list', '--ref', 'log')
    assert.deepEqual([compactions.length, compactions[0].reason], [1, 'duplicate'])
    assert.match(await way.text('compactions', 'show', compactions[0].id), /why +duplicate/)
    await way.text('compactions', 'undo', compactions[0].id)
    assert.deepEqual((await way.json('list', 'log')).entries, before)
    await way.fails(3, 'consolidate', 'mistyped')
  })
}
