/** PostgreSQL as a store, for programs that compose their own engine. */
export { openPostgres, type PostgresOptions } from './open.ts'
