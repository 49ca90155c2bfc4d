import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { waysOfBehaviour } from '../support/cli-ways.ts'
import { releaseServer } from '../support/databases.ts'

after(releaseServer)

for (const [name, open] of waysOfBehaviour) {
  test(`schedules at the command line, ${name}`, async () => {
    await using way = await open()
    const add = ['schedules', 'add', 'weekly', '--cron', '0 4 * * 1', '--kind', 'colophon.re-redact']
    assert.match(await way.text(...add, '--payload', '{"dryRun":true}'), /^weekly runs next at .*T04:00:00\.000Z$/)
    assert.match(
      await way.text('schedules', 'list'),
      /weekly +0 4 \* \* 1 +colophon\.re-redact +\S+T04:00:00\.000Z +never/,
    )
    assert.equal(await way.text('schedules', 'pause', 'weekly'), 'weekly is paused')
    assert.match(await way.text('schedules', 'list'), /weekly .* paused +never/)
    assert.match(await way.text('schedules', 'resume', 'weekly'), /^weekly is active, next at /)
    const job = await way.json('schedules', 'run', 'weekly', '--wait')
    assert.deepEqual([job.status, job.result.dryRun ?? true], ['completed', true])
    assert.match(await way.text('schedules', 'run', 'weekly', '--dry-run'), /^weekly would redact 0 of \d+ texts$/)
    assert.equal(await way.text('schedules', 'remove', 'weekly'), 'removed')
    assert.equal(await way.text('schedules', 'remove', 'weekly'), 'not found')
    await way.fails(3, 'schedules', 'pause', 'weekly')
    await way.fails(4, ...add.with(4, 'never'))
    await way.fails(2, ...add, '--payload', '{')
    // The protocol raises an interval that is too short: the command says so.
    const { stdout, stderr } = await way.cli(['heartbeats', 'add', 'count', '--ref', 'inbox', '--interval', '30'])
    assert.match(stdout, /every 60 s/)
    assert.match(stderr, /30 s is below the limit heartbeatIntervalSecMin/)
  })
}
