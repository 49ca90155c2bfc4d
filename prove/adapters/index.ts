import type { Product } from '../product.ts'
import { colophonOnPostgres, colophonOnSqlite } from './colophon.ts'

/** In the order of the table. */
export const allProducts: readonly Product[] = [colophonOnSqlite, colophonOnPostgres]
