/** PostgreSQL as a store of its own, for programs that put the parts together themselves. */
export { openPostgres, type PostgresOptions } from './open.ts'
