import { test } from 'node:test'
import { killAdapters } from './adapters-killed.ts'

test('many writes through all adapters while client and server are killed', { timeout: 3_600_000 }, () =>
  killAdapters({ writes: Number(process.env.COLOPHON_TEST_WRITES ?? 2_000), killEvery: 150, resent: 40 }),
)
