import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { runCli } from '../support/cli.ts'
import { startServerProcess } from '../support/server-process.ts'
import { createFolder } from '../support/temporary-folder.ts'

test('login stores a server and its key for later commands', async () => {
  await using server = await startServerProcess()
  const folder = createFolder()
  const env = { XDG_CONFIG_HOME: folder.path, HOME: folder.path, XDG_DATA_HOME: folder.path }
  const file = folder.file('colophon/profiles.json')
  try {
    const wrong = await runCli(['login', '--url', server.url], { env, input: `ck_${'x'.repeat(40)}` })
    assert.equal(wrong.code, 5, wrong.stderr)
    assert.ok(!existsSync(file), 'a refused key is not stored')

    const login = await runCli(['login', '--url', server.url], { env, input: `${server.key}\n` })
    assert.equal(login.code, 0, login.stderr)
    assert.ok(!login.stdout.includes(server.key))
    assert.equal(statSync(file).mode & 0o777, 0o600)

    assert.equal((await runCli(['put', 'notes', 'Ada prefers tea.'], { env })).code, 0)
    assert.match((await runCli(['list', 'notes'], { env })).stdout, /Ada prefers tea/)
    const profiles = await runCli(['profiles'], { env })
    assert.match(profiles.stdout, /default/)
    assert.ok(!profiles.stdout.includes(server.key))

    const doctor = await runCli(['doctor'], { env })
    assert.equal(doctor.code, 0, doctor.stderr)
    assert.ok(doctor.stdout.includes(`at ${server.url}`), 'the server of the profile is checked, not a data folder')
    const localDoctor = await runCli(['doctor'], { env: { ...env, COLOPHON_DATA_DIR: folder.file('data') } })
    assert.ok(localDoctor.stdout.includes(folder.file('data')))

    const sameServer = server.url.replace('http:', 'HTTP:')
    for (const url of [server.url, `${server.url}/`, sameServer])
      assert.equal((await runCli(['refs'], { env: { ...env, COLOPHON_URL: url } })).code, 0, url)
    assert.equal((await runCli(['refs', '--url', server.url, '--profile', 'default'], { env })).code, 0)
    assert.equal((await runCli(['doctor', '--url', server.url], { env })).code, 0)
    const otherName = await runCli(['refs'], {
      env: { ...env, COLOPHON_URL: server.url.replace('127.0.0.1', 'localhost') },
    })
    assert.equal(otherName.code, 2, 'a key is sent to no other host')
    assert.ok(otherName.stderr.includes(`default is for ${server.url}`), otherName.stderr)

    const unknown = await runCli(['list', 'notes', '--profile', 'other'], { env })
    assert.equal(unknown.code, 2)
    assert.match(unknown.stderr, /login --profile other/)

    const local = await runCli(['list', 'notes'], { env: { ...env, COLOPHON_DATA_DIR: folder.file('data') } })
    assert.equal(local.code, 3, 'a data folder that is named wins over the default profile')
    assert.ok(local.stderr.includes(folder.file('data')))
    assert.ok(!existsSync(folder.file('data')), 'a read creates nothing')

    assert.equal((await runCli(['logout'], { env })).code, 0)
    assert.equal((await runCli(['logout'], { env })).code, 3)
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), {})

    writeFileSync(file, '{"default": {"url": "secret-looking-text"')
    const damaged = await runCli(['profiles'], { env })
    assert.equal(damaged.code, 2)
    assert.ok(damaged.stderr.includes(file) && !damaged.stderr.includes('secret-looking-text'))
  } finally {
    folder.remove()
  }
})

test('the completion of bash knows commands, subcommands and options', async () => {
  const { stdout: script } = await runCli(['completion', 'bash'])
  const complete = (...words: string[]) => {
    const line = `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _colophon; echo "\${COMPREPLY[@]}"`
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', line], { encoding: 'utf8' })
    assert.equal(stderr, '')
    return stdout.trim().split(' ')
  }
  assert.deepEqual(complete('colophon', 'quar'), ['quarantine'])
  assert.ok(complete('colophon', 'keys', '').includes('create'))
  assert.deepEqual(complete('colophon', '--url', 'http://127.0.0.1:1', 'keys', 'rot'), ['rotate'])
  assert.deepEqual(complete('colophon', 'restore', '--sha'), ['--sha256'])
  for (const shell of ['zsh', 'fish']) assert.match((await runCli(['completion', shell])).stdout, /quarantine/)
})
