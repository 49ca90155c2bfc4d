import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig, showConfig } from './config.ts'
import { settings } from './settings.ts'

test('the defaults are complete without any variable', () => {
  const config = loadConfig({})
  assert.deepEqual(
    [config.host, config.port, config.storage, config.bodyLimitBytes, config.rateLimitPerMin],
    ['127.0.0.1', 4242, 'sqlite', 8_388_608, 0],
  )
  assert.ok(Object.isFrozen(config))
})

test('the embedder is none, a local model or an address', () => {
  for (const value of ['none', 'local', 'local-minilm'])
    assert.equal(loadConfig({ COLOPHON_EMBEDDINGS: value }).embeddings, value)
  assert.throws(() => loadConfig({ COLOPHON_EMBEDDINGS: 'minilm' }), /none, local, local-minilm or an address/)
  assert.throws(
    () => loadConfig({ COLOPHON_EMBEDDINGS: 'local-minilm', COLOPHON_EMBEDDINGS_MODEL: 'x' }),
    /needs an address/,
  )
  assert.throws(() => loadConfig({ COLOPHON_EMBEDDINGS: 'http://127.0.0.1/v1' }), /COLOPHON_EMBEDDINGS_MODEL/)
})

test('every wrong value names its variable', () => {
  const wrong: Record<string, string> = {
    COLOPHON_PORT: '99999',
    COLOPHON_BOOTSTRAP_KEY: 'short',
    COLOPHON_OPERATOR_KEY: 'has a space in it and is long enough',
    COLOPHON_VAULT_KEY: 'not-32-bytes',
    COLOPHON_DATABASE_URL: 'mysql://x',
    COLOPHON_STORAGE: 'mongo',
    COLOPHON_RATE_LIMIT_PER_MIN: '-1',
    COLOPHON_BODY_LIMIT_BYTES: '12',
    COLOPHON_CORS_ORIGINS: 'app.example.com',
    COLOPHON_ALLOWED_HOSTS: 'https://memory.example.com',
    COLOPHON_LOG_LEVEL: 'loud',
    COLOPHON_TEST_SEAMS: 'maybe',
    COLOPHON_WEBHOOK_ALLOW_PRIVATE: '2',
    COLOPHON_BOOTSTRAP_KEY_B: 'x'.repeat(30),
    COLOPHON_PRT: '1',
  }
  for (const [name, value] of Object.entries(wrong)) {
    assert.throws(
      () => loadConfig({ [name]: value }),
      (error: Error) => {
        assert.equal(error.name, 'ConfigError')
        assert.ok(error.message.includes(name), error.message)
        if (name.includes('KEY')) assert.ok(!error.message.includes(value), 'a wrong secret is not repeated')
        return true
      },
    )
  }
})

test('seams need a loopback address, row-level security needs PostgreSQL, keys must differ', () => {
  assert.throws(() => loadConfig({ COLOPHON_TEST_SEAMS: '1', COLOPHON_HOST: '0.0.0.0' }), /COLOPHON_TEST_SEAMS/)
  assert.equal(loadConfig({ COLOPHON_TEST_SEAMS: '1' }).testSeams, true)
  const key = 'k'.repeat(24)
  assert.throws(() => loadConfig({ COLOPHON_DATABASE_RLS: 'on' }), /COLOPHON_DATABASE_RLS is for PostgreSQL/)
  assert.throws(() => loadConfig({ COLOPHON_OPERATOR_KEY: key, COLOPHON_BOOTSTRAP_KEY: key }), /differ/)
})

test('showing the configuration masks every secret', () => {
  const secret = 'S3cret'.repeat(5)
  const shown = showConfig(
    loadConfig({
      COLOPHON_BOOTSTRAP_KEY: secret,
      COLOPHON_OPERATOR_KEY: `${secret}2`,
      COLOPHON_DATABASE_URL: `postgres://u:${secret}@h/d`,
    }),
  )
  assert.deepEqual(
    Object.keys(shown),
    Object.values(settings).map(({ variable }) => variable),
  )
  assert.ok(!JSON.stringify(shown).includes(secret))
  assert.equal(shown.COLOPHON_BOOTSTRAP_KEY, '(set)')
})

test('an unknown variable is refused with the known name that is most like it', () => {
  const messageFor = (name: string) => {
    try {
      loadConfig({ [name]: 'x' })
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }
  assert.match(messageFor('COLOPHON_DATABSE_URL'), /not a variable of Colophon\. Did you mean COLOPHON_DATABASE_URL\?/)
  assert.match(messageFor('COLOPHON_LOGLEVEL'), /Did you mean COLOPHON_LOG_LEVEL\?/)
  assert.match(messageFor('COLOPHON_OPERATOR_KEY_FIL'), /Did you mean COLOPHON_OPERATOR_KEY_FILE\?/)
  assert.doesNotMatch(messageFor('COLOPHON_ZZZZ'), /Did you mean/)
})
