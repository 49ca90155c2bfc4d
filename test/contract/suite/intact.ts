import assert from 'node:assert/strict'
import type { TenantMemory } from '../../../src/app/tenant.ts'

/** The audit chain verifies, and all stored rows match it. A failed assertion names the row that does not. */
export async function assertIntact(memory: Pick<TenantMemory, 'verify'>, checked?: number): Promise<void> {
  const { ok, contents, ...verdict } = await memory.verify({ contents: true })
  assert.deepEqual([verdict.fault, contents?.anomalies], [undefined, []])
  assert.ok(ok)
  if (checked !== undefined) assert.deepEqual(verdict, { from: 1, to: checked, checked })
}
