import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { waysOfBehaviour } from '../support/cli-ways.ts'

/** What a service says about the theme that somebody likes. */
function tell(service: string, event: string, observedAt: string, content: string): string[] {
  const source = ['--service', service, '--event', event, '--observed-at', observedAt]
  return ['add', 'ada', content, ...source, '--verbatim', '--category', 'preference', '--claim-key', 'ui.theme']
}

const monday = '2026-01-05T10:00:00.000Z'
const tuesday = '2026-01-06T10:00:00.000Z'

type Shown = { id: string; content: string; status: string }
const contents = (page: { data: Shown[] }) => page.data.map(({ content, status }) => [content, status])

for (const [name, open] of waysOfBehaviour) {
  describe(name, { concurrency: 4 }, () => {
    test('two services disagree: the one with more authority holds, and the story says why', async () => {
      await using way = await open()
      const { text, json } = way
      assert.match(await text('writers', 'add', 'chat', '--priority', '40'), /^wtr_[0-9a-f-]{36}$/)
      await text('writers', 'add', 'settings', '--name', 'Settings page', '--authority', 'preference=90')
      assert.match(await text('writers', 'list'), /^settings \(Settings page\)\s+active\s+50 preference=90\s+any/m)
      const done = await text(...tell('settings', 's1', monday, 'Prefers dark mode.'), '--wait')
      assert.match(done, /^job_\S+ is completed: 1 created, 0 superseded, 0 rejected$/)
      const lost = await json(...tell('chat', 'c1', tuesday, 'Prefers light mode.'), '--wait')
      assert.deepEqual([lost.status, lost.memories_created], ['completed', 0])
      assert.match(
        await text(...tell('chat', 'c1', tuesday, 'Prefers light mode.'), '--wait'),
        /is completed: 0 created, 0 superseded, 0 rejected\noverruled mem_\S+: The memory mem_\S+ of settings outranks it: priority 90 over 40\.$/,
      )

      const silent = ['add', 'ada', 'Well, well.', '--service', 'chat', '--event', 'c2', '--wait']
      assert.match(
        await text(...silent),
        /^job_\S+ is completed: 0 created, 0 superseded, 0 rejected\nNothing to remember was found in the messages\.$/,
      )

      const page = [
        'add',
        'ada',
        'I prefer tabs.',
        '--service',
        'chat',
        '--event',
        'c3',
        '--trust',
        'untrusted',
        '--wait',
      ]
      assert.match(await text(...page), /1 created.*\ncurrent mem_\S+: .* It is in quarantine/)

      const mistaken = await way.cli(['search', 'ada', 'mode'])
      assert.match(mistaken.stderr, /The ref ada has no entries\. The memories about ada are in the ref subject:ada\./)

      const now = await json('memories', 'list', 'ada')
      assert.deepEqual(contents(now), [['Prefers dark mode.', 'active']])
      const all = await json('memories', 'list', 'ada', '--all', '--category', 'preference')
      assert.deepEqual(contents(all), [
        ['Prefers light mode.', 'superseded'],
        ['Prefers dark mode.', 'active'],
      ])
      const [light, dark] = all.data.map(({ id }: Shown) => id)
      assert.match(
        await text('memories', 'list', 'ada', '--all'),
        /superseded\s+preference\s+agent\s+chat\s+Prefers light mode/,
      )

      const story = await text('trace', dark)
      assert.match(story, new RegExp(`^${dark} in subject:ada is active\nPrefers dark mode\\.\n`))
      assert.match(story, /Z\s+\d+\s+told\s+settings\s+settings sent it in event s1, observed 2026-01-05/)
      assert.match(story, /decided\s+It won against 1 other: priority 90 over 40\./)
      const positions = (await json('trace', dark)).story.map((step: { position: number }) => step.position)
      assert.deepEqual(
        positions,
        positions.toSorted((a: number, b: number) => a - b),
        'in order',
      )

      const prov = await json('trace', dark, '--format', 'prov')
      assert.deepEqual(JSON.parse(await text('trace', dark, '--format', 'prov')), prov)
      assert.ok(prov.agent['tenant:writer.settings'] && prov.wasGeneratedBy, JSON.stringify(prov))
      assert.doesNotMatch(JSON.stringify(prov), /dark mode|subject:ada/)

      assert.equal(await text('memories', 'delete', dark), 'deleted')
      assert.deepEqual(contents(await json('memories', 'list', 'ada')), [['Prefers light mode.', 'active']])
      const changes = (await json('memories', 'history', light)).data.map(
        (item: { change_type: string }) => item.change_type,
      )
      assert.deepEqual(changes, ['created', 'superseded', 'reactivated'])
      assert.match(await text('memories', 'history', light), /reactivated/)
      assert.match(await text('trace', dark), /is gone\n[\s\S]*deleted/)
    })

    test('a tie waits for a person, who decides with a reason and can take it back', async () => {
      await using way = await open()
      const { text, json } = way
      await text('writers', 'add', 'one')
      await text('writers', 'add', 'two')
      await text(...tell('one', 'a', monday, 'Prefers dark mode.'), '--wait')
      await text(...tell('two', 'b', tuesday, 'Prefers light mode.'), '--wait')
      const { claims } = await json('claims', 'list', '--contested')
      assert.deepEqual([claims.length, claims[0].status], [1, 'contested'])
      const { id, contents } = claims[0]
      assert.match(
        await text('claims', 'list', '--subject', 'ada'),
        /ada\s+preference ui\.theme\s+contested\s+Prefers light mode/,
      )
      const loser = contents.find((content: Shown) => content.status === 'superseded').memoryId
      const pinned = await text('claims', 'pin', id, loser, '--reason', 'Asked Ada.')
      assert.match(pinned, /is pinned\npinned by \S+ at \S+: Asked Ada\.\n/)
      assert.match(
        await text('claims', 'show', id),
        /^active\s+50\s+2026-01-05\S+\s+1\s+verified\s+one\s+mem_\S+\s+Prefers dark mode/m,
      )
      assert.deepEqual((await json('claims', 'list', '--contested')).claims, [])
      assert.match(await text('trace', loser), /Asked Ada/)
      assert.equal((await json('claims', 'unpin', id, '--reason', 'No longer.')).status, 'contested')
    })

    test('the same event again is the same job; other messages under its name are refused', async () => {
      await using way = await open()
      const { cli, text, json } = way
      await text('writers', 'add', 'crm')
      const source = ['--service', 'crm', '--event', 'e1']
      const first = await cli(['add', 'ada', '--verbatim', ...source], 'Ada moved to Lisbon.\n')
      assert.equal(first.code, 0, first.stderr)
      const job = first.stdout.trim()
      assert.match(job, /^job_[0-9a-f-]{36}$/, 'only the id, for scripts')
      if (name === 'embedded') assert.match(first.stderr, /jobs show job_\S+ --wait/)
      else assert.equal(first.stderr, '')
      assert.match(await text('jobs', 'show', job, '--wait'), /status\s+completed[\s\S]*"memories_created":1/)
      assert.equal((await json('add', 'ada', 'Ada moved to Lisbon.', '--verbatim', ...source)).job_id, job)
      assert.equal((await json('memories', 'list', 'ada')).data.length, 1)
      const refusal = await way.fails(4, 'add', 'ada', 'Ada moved to Rome.', '--verbatim', ...source)
      assert.match(refusal, /source_event_payload_mismatch/)
      assert.equal((await json('jobs', 'show', job)).attempts, 1)
    })

    test('sources verify compares messages of a file or a pipe with the payload hash', async () => {
      await using way = await open()
      const { cli, text, json, dataDir } = way
      await text('writers', 'add', 'crm')
      await text('add', 'ada', 'Ada moved to Lisbon.', '--verbatim', '--service', 'crm', '--event', 'e1', '--wait')
      assert.match(await text('sources', 'list', '--subject', 'ada', '--service', 'crm'), /^src_\S+\s+crm\s+e1\s+ada/m)
      const { id } = (await json('sources', 'list')).data[0]
      assert.match(await text('sources', 'show', id), /payload_hash\s+sha256:[0-9a-f]{64}/)
      mkdirSync(dataDir, { recursive: true })
      const file = (content: string) => {
        writeFileSync(join(dataDir, 'told.json'), content)
        return join(dataDir, 'told.json')
      }
      const messages = [{ role: 'user', content: 'Ada moved to Lisbon.' }]
      assert.match(await text('sources', 'verify', id, file(JSON.stringify(messages))), /^matches sha256:/)
      assert.equal((await json('sources', 'verify', id, file(JSON.stringify({ messages })))).matches, true)
      const piped = await cli(['sources', 'verify', id, '-'], JSON.stringify(messages))
      assert.equal(piped.code, 0, piped.stderr)
      assert.match(await way.fails(4, 'sources', 'verify', id, file('[{"role":"user","content":"x"}]')), /do not match/)
      for (const wrong of ['{"quoted-never"', '"quoted-never"', '{}'])
        assert.doesNotMatch(await way.fails(2, 'sources', 'verify', id, file(wrong)), /quoted-never/)
      await way.fails(2, 'sources', 'verify', id, join(dataDir, 'none.json'))
      await way.fails(3, 'sources', 'verify', 'src_none', file('[]'))
      const seen = await text('forget', '--subject', 'ada', '--reason', 'request 7', '--dry-run', '--mentions', 'list')
      assert.match(seen, /^matched: 2$/m)
      assert.match(await text('forget', '--subject', 'adda', '--reason', 'request 7', '--dry-run'), /^Nothing matched/m)
      await way.fails(2, 'forget', '--subject', 'ada', '--reason', 'request 7', '--mentions', 'all')
      await text('forget', '--subject', 'ada', '--reason', 'request 7', '--wait')
      assert.match(await text('sources', 'list'), new RegExp(`^${id} +crm +\\S+Z +erased$`, 'm'))
    })
  })
}
