import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFolder } from '../../test/support/temporary-folder.ts'
import { profileFile, profileFor, writeProfiles } from './profiles.ts'

test('a stored key is found by the URL of its server, and sent to no other', () => {
  const folder = createFolder()
  try {
    const env = { XDG_CONFIG_HOME: folder.path, HOME: folder.path }
    const store = (profiles: Parameters<typeof writeProfiles>[0]) => writeProfiles(profiles, profileFile(env))
    const keyFor = (url: string, name?: string) => profileFor(url, name, env).key
    assert.deepEqual(profileFor('http://a.test', undefined, env), { key: null, hint: '' })
    store({ default: { url: 'https://Memory.test/', key: 'k1' }, other: { url: 'http://127.0.0.1:80/x', key: 'k2' } })
    for (const url of ['https://memory.test', 'https://memory.test/', 'https://MEMORY.test:443'])
      assert.equal(keyFor(url), 'k1', url)
    for (const url of ['http://127.0.0.1/x', 'http://127.0.0.1/x/']) assert.equal(keyFor(url), 'k2', url)
    for (const url of [
      'http://memory.test',
      'https://memory.test:8443',
      'https://memory.test.evil.test',
      'https://evil.test/memory.test',
      'https://memory.test@evil.test',
      'https://memory.test/x',
      'http://localhost/x',
      'http://127.0.0.1',
      'http://127.0.0.1:4242/x',
    ])
      assert.equal(keyFor(url), null, url)
    assert.equal(keyFor('https://memory.test', 'other'), null)
    assert.match(profileFor('https://memory.test', 'other', env).hint, /other is for http:\/\/127\.0\.0\.1:80\/x/)
    assert.throws(() => keyFor('https://memory.test', 'none'), { exitCode: 2 })

    const same = { url: 'https://memory.test', key: 'k3' }
    store({ one: same, two: { ...same, key: 'k4' } })
    assert.throws(() => keyFor('https://memory.test'), { exitCode: 2, message: /one, two/ })
    assert.equal(keyFor('https://memory.test', 'two'), 'k4')
    store({ one: same, default: { ...same, key: 'k5' } })
    assert.equal(keyFor('https://memory.test'), 'k5')
  } finally {
    folder.remove()
  }
})
