export const STYLE = `body { margin: 0; color: #3b4151; background: #fff; font: 16px/1.5 sans-serif; }
.guide { box-sizing: border-box; max-width: 1460px; margin: 0 auto; padding: 20px; }
.guide a { color: #2e5fae; }
.guide h1 { font-size: 36px; margin: 20px 0 8px; }
.guide h2 { font-size: 24px; margin: 40px 0 8px; }
.guide h3 { font-size: 18px; margin: 24px 0 8px; }
.guide p { max-width: 50em; margin: 0 0 12px; overflow-wrap: anywhere; }
.guide details { border: 1px solid #d3d7de; border-radius: 4px; margin-bottom: 8px; }
.guide summary { cursor: pointer; padding: 10px 14px; font-weight: bold; }
.guide .file { color: #5b6170; font-weight: normal; font-family: monospace; }
.guide pre, #api .curl { margin: 0; padding: 14px; max-height: 32em; overflow: auto; color: #fff; background: #333; border-radius: 4px; }
.guide pre, .guide code, #api .curl code { font: 14px/1.5 monospace; }
#api .curl { margin: 0 20px 20px; }
#api .curl code { padding: 0; color: inherit; background: none; font-weight: normal; }
.guide .table { overflow-x: auto; }
.guide table { border-collapse: collapse; }
.guide th, .guide td { padding: 6px 16px 6px 0; text-align: left; vertical-align: top; border-bottom: 1px solid #d3d7de; }
.guide tbody th { font-weight: normal; white-space: nowrap; }
`;
