import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from './config.ts'
import { isServiceLink } from './service-links.ts'
import { settings } from './settings.ts'
import { configWarnings } from './warnings.ts'

/** What Kubernetes sets for a service with one named port. */
function linksOf(service: string): Record<string, string> {
  return {
    [`${service}_SERVICE_HOST`]: '10.0.0.7',
    [`${service}_SERVICE_PORT`]: '80',
    [`${service}_SERVICE_PORT_HTTP`]: '80',
    [`${service}_PORT`]: 'tcp://10.0.0.7:80',
    [`${service}_PORT_80_TCP`]: 'tcp://10.0.0.7:80',
    [`${service}_PORT_80_TCP_PROTO`]: 'tcp',
    [`${service}_PORT_80_TCP_PORT`]: '80',
    [`${service}_PORT_80_TCP_ADDR`]: '10.0.0.7',
  }
}

test('variables that Kubernetes sets for a service are no settings, and are one warning', () => {
  const links = { ...linksOf('COLOPHON'), ...linksOf('COLOPHON_DATABASE') }
  const config = loadConfig(links)
  assert.equal(config.port, 4242)
  const warnings = configWarnings(links, config)
  assert.equal(warnings.length, 1)
  for (const name of Object.keys(links)) assert.ok(warnings[0]?.includes(name), name)
  assert.deepEqual(configWarnings({}, loadConfig({})), [])
})

test('a setting and a misspelled setting are not taken for such a variable', () => {
  for (const { variable } of Object.values(settings)) assert.equal(isServiceLink(variable, '4242'), false, variable)
  for (const name of ['COLOPHON_PORT_4242', 'COLOPHON_DATABASE_PORT', 'COLOPHON_SERVICE', 'COLOPHON_PORT_HTTP'])
    assert.throws(() => loadConfig({ [name]: '5432' }), /is not a variable of Colophon/, name)
  assert.throws(() => loadConfig({ COLOPHON_PORT: 'http://10.0.0.7' }), /COLOPHON_PORT must be a whole number/)
})

test('plain HTTP on a network address is one warning, unless TLS is in front', () => {
  const warningsFor = (env: Record<string, string>) => configWarnings(env, loadConfig(env))
  for (const host of ['127.0.0.1', '::1', 'localhost']) assert.deepEqual(warningsFor({ COLOPHON_HOST: host }), [])
  assert.match(warningsFor({ COLOPHON_HOST: '0.0.0.0' }).join(), /^Listening on 0\.0\.0\.0 with plain HTTP/)
  assert.deepEqual(warningsFor({ COLOPHON_HOST: '0.0.0.0', COLOPHON_TLS_IN_FRONT: '1' }), [])
})
