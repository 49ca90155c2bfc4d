import { trustClasses } from '../core/entries/trust.ts'

const classes = trustClasses.join(', ')

/** Of commands that write: the class of what they write. */
export const trustOption = ['--trust <class>', 'lower the trust class, such as untrusted for tool output'] as const

/** Of commands that read many memories. */
export const trustMinOption = ['--trust-min <class>', `the lowest trust class to show: ${classes}`] as const
