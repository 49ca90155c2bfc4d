/** What is between this process and the server: nothing, or a pooler that gives each transaction any connection it has. */
export type Pooler = 'none' | 'transaction'
