// Round steps for axes.

export { byteStep } from "../../../src/export/ops_page/span";
