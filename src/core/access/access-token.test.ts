import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseTokenRules } from './access-token.ts'

test('rules are parsed, and a wrong one is named', () => {
  const rule = { claims: { org: 'acme' }, tenant: 'acme', scopes: ['memory:read'], reader: 'sub' }
  assert.deepEqual(parseTokenRules(JSON.stringify([rule])), [rule])
  for (const [rules, message] of [
    ['{', /COLOPHON_OAUTH_RULES must be JSON/],
    ['[]', /COLOPHON_OAUTH_RULES must be a list/],
    [JSON.stringify([{ ...rule, tenant: '' }]), /\[0\]\.tenant/],
    [JSON.stringify([{ ...rule, scopes: ['all'] }]), /scopes must be among/],
    [JSON.stringify([{ ...rule, claims: { org: 1 } }]), /\[0\]\.claims/],
    [JSON.stringify([{ ...rule, reader: 1 }]), /\[0\]\.reader/],
    [JSON.stringify([{ ...rule, tennant: 'x' }]), /unknown member tennant/],
  ] as const)
    assert.throws(() => parseTokenRules(rules), message)
})
