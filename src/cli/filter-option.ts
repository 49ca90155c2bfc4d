import type { FilterForm } from '../core/filter/parse-filter.ts'
import { CliError, exitCodes } from './exit-codes.ts'

/** Of commands that list or search memories. */
export const filterOption = [
  '--filter <json>',
  'conditions with operators, such as {"confidence":{"gte":0.8}}',
] as const

/** The filter of a command. The server checks its members. */
export function parseFilterOption(text: string | undefined): { filter?: FilterForm } {
  if (text === undefined) return {}
  try {
    return { filter: JSON.parse(text) as FilterForm }
  } catch {
    throw new CliError('--filter must be JSON, such as {"tag":"drink"}', exitCodes.usage)
  }
}
