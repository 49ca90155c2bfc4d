import assert from 'node:assert/strict'
import { test } from 'node:test'
import { urlsOfHosts } from './hosts.ts'

test('a URL with several hosts is one URL for each, with the same user, database and options', () => {
  const attribute = 'target_session_attrs=read-write'
  assert.deepEqual(urlsOfHosts(`postgres://u:p,w@a:1,b,[::1]:3/d?${attribute}&x=1,2`), [
    `postgres://u:p,w@a:1/d?${attribute}&x=1,2`,
    `postgres://u:p,w@b/d?${attribute}&x=1,2`,
    `postgres://u:p,w@[::1]:3/d?${attribute}&x=1,2`,
  ])
  for (const url of ['postgres://u:p,w@a:1/d?x=1,2', 'postgresql:///d', 'postgres://a'])
    assert.deepEqual(urlsOfHosts(url), [url])
})

test('several hosts are only for writing: a standby is never read', () => {
  assert.throws(() => urlsOfHosts('postgres://a,b/d?target_session_attrs=any'), { code: 'validation_error' })
})
