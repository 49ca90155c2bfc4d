/** Short prefixes say what an id names wherever it turns up. */
export type IdPrefix = 'mem' | 'job' | 'lease' | 'worker' | 'key' | 'req' | 'run' | 'int' | 'wh' | 'src' | 'wtr' | 'ret'
