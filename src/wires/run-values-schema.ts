import { z } from 'zod'
import { checkJson } from '../core/check.ts'
import { limits } from '../core/limits.ts'
import { checkTree } from '../core/workflow/json-values.ts'
import { withCheck } from './schema-parts.ts'

/** An object of any values in a request about runs, of a limited size and depth. */
export const values = (limit: 'runInputsBytesMax' | 'runConfigurableBytesMax' | 'runMetadataBytesMax') =>
  withCheck(z.record(z.string(), z.unknown()), (field, value) => {
    checkJson(field, value, limit, limits[limit])
    checkTree(field, value)
  })
