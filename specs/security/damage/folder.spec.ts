import { describeDamage } from './describeDamage.ts'

describeDamage('a folder')
