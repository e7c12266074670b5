/** For tests of what is built around an auditor: one in the test's own process. */
export { Auditor } from '../Auditor.ts'
