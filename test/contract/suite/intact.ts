import assert from 'node:assert/strict'
import type { TenantMemory } from '../../../src/app/tenant.ts'

/** The chain holds, and everything that is stored is as it says. The failure of an assertion names what is not. */
export async function assertIntact(memory: Pick<TenantMemory, 'verify'>, checked?: number): Promise<void> {
  const { ok, contents, ...verdict } = await memory.verify({ contents: true })
  assert.deepEqual([verdict.fault, contents?.anomalies], [undefined, []])
  assert.ok(ok)
  if (checked !== undefined) assert.deepEqual(verdict, { from: 1, to: checked, checked })
}
