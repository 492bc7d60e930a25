// The build takes a text file in as a string.

declare module "*.txt" {
  const text: string;
  export default text;
}
