import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { runCli } from '../support/cli.ts'
import { ways } from '../support/cli-ways.ts'
import { releaseServer } from '../support/databases.ts'
import { createHome } from '../support/server.ts'
import { isThorough } from '../support/thorough.ts'

after(releaseServer)

/** Ids, keys and instants differ each time; nothing else does. */
function withoutNames(text: string): string {
  return text
    .replaceAll(/(?<=\b(?:mem|run)_)[0-9a-f-]{36}/g, '…')
    .replaceAll(/ck_\S+/g, 'ck_…')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+(?= with your)/g, 'URL')
}

const summary = '12 people, 45 statements about them, 7 contested claims, 9 runs.'
const recordedNow =
  'All of it was recorded now. For a week of history, stop the server and run colophon demo without --url.'

function look(at: string): string[] {
  return [
    `  colophon${at} memories list ada`,
    `  colophon${at} claims list --contested`,
    `  colophon${at} trace mem_…`,
    `  colophon${at} runs show run_…`,
    `  colophon${at} runs diff run_… run_…`,
    `  colophon${at} forget list`,
    `  colophon${at} audit verify --contents`,
  ]
}

const golden = {
  embedded: [
    summary,
    'key of tenant demo (shown once): ck_…',
    '',
    'Next steps:',
    '  colophon serve, then open http://127.0.0.1:4242/ with that key',
    ...look(' --tenant demo'),
  ],
  'with --url': [summary, recordedNow, '', 'Next steps:', '  open URL with your key', ...look('')],
} as const

for (const name of isThorough ? (['embedded', 'with --url'] as const) : (['with --url'] as const)) {
  test(`the demo fills every corner of a tenant, ${name}`, async () => {
    await using way = await ways[name]()
    const at = name === 'embedded' ? ['--tenant', 'demo'] : []
    const printed = await way.text('demo')
    assert.equal(withoutNames(printed), golden[name].join('\n'))

    const stats = await way.json(...at, 'stats')
    assert.deepEqual(
      [stats.sourceEvents, stats.contestedClaims, stats.expiringSoon, stats.runs],
      [46, 7, 2, { completed: 7, failed: 2, 'waiting-approval': 1 }],
    )
    const handbook = await way.text(...at, 'list', 'team/handbook')
    assert.match(handbook, /\[REDACTED:booking-code\][\s\S]*\[REDACTED:booking-portal\]/)
    assert.match(await way.text(...at, 'compactions', 'list'), /agents\/concierge/)
    assert.match(await way.text(...at, 'quarantine', 'list'), /night ferry/)
    assert.match(await way.text(...at, 'keys', 'list'), /old importer +revoked/)
    assert.match(await way.text(...at, 'forget', 'list'), /^fgt_\S+ +completed +subject .* 2$/m)
    assert.match(await way.text(...at, 'jobs', 'list'), /colophon\.webhook +(queued|leased) /)
    assert.ok(!(await way.text(...at, 'refs')).includes('agents/ferries'), 'nothing is left of who was forgotten')
    assert.match(await way.text(...at, 'schedules', 'list'), /weekly-secret-check/)
    const claims = (await way.json(...at, 'claims', 'list')).claims as { status: string }[]
    for (const status of ['settled', 'contested', 'pinned', 'open'])
      assert.ok(
        claims.some((claim) => claim.status === status),
        status,
      )

    // Everything it says to look at is there.
    const commands = printed.split('\n').filter((line) => /^ {2}colophon (?!serve)/.test(line))
    await Promise.all(commands.map((line) => way.text(...line.trim().split(' ').slice(1))))
    assert.equal(commands.length, 7)

    assert.match(await way.fails(4, 'demo'), /--force/)
    await way.text('demo', '--force')
    assert.equal((await way.json(...at, 'stats')).sourceEvents, 46, 'what was told is told once')
  })
}

// `npm test` makes it on SQLite, in demo-week.test.ts.
const testInFull = isThorough ? test : () => {}

testInFull('the demo on PostgreSQL', async () => {
  await using home = await createHome('postgres')
  const { code, stdout, stderr } = await runCli(['demo'], { env: home.env })
  assert.equal(code, 0, stderr)
  assert.equal(withoutNames(stdout).trimEnd(), golden.embedded.join('\n'))
})

test('the demo needs a database that stays', async () => {
  await using home = await createHome('memory')
  const { code, stderr } = await runCli(['demo'], { env: home.env })
  assert.equal(code, 2, stderr)
  assert.match(stderr, /COLOPHON_STORAGE=memory/)
})
