import { redactStoredRun } from '../../core/redaction/redaction.ts'
import { Progress } from '../../core/run/progress.ts'
import type { Run } from '../../core/run/run.ts'
import type { Tenant } from '../tenant.ts'

/**
 * A run to go on with. Where secrets are refused, what was stored before one of them was known is cleaned first: the
 * refusal is for what is new, or the run could neither go on nor end.
 */
export async function openProgress(tenant: Tenant, run: Run): Promise<Progress> {
  const { redaction } = await tenant.context()
  if (redaction.policy !== 'reject') return new Progress(run)
  return new Progress({ ...run, text: await redaction.redact(({ scan }) => redactStoredRun(run.text, scan)) })
}
