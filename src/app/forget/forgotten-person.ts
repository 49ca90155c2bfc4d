import type { ForgottenPerson } from '../../core/forget/scrub-record.ts'
import { scrubberOf } from '../../core/forget/selector.ts'
import { foldName } from '../../core/people/spelling.ts'
import type { ForgetProcess } from './forget-process.ts'

/** What a forget searches for in records and lists of readers. The same person has the same pseudonym in every forget of the tenant. */
export async function forgottenPerson({ tenant, fences }: ForgetProcess): Promise<ForgottenPerson> {
  const { digest } = await tenant.context()
  const pseudonymOf = (reader: string) => `forgotten:${digest(`forget.reader.${foldName(reader)}`).slice(0, 22)}`
  return { ...scrubberOf(fences), pseudonymOf }
}
