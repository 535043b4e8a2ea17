package read_test
import ("testing";"fmt";"encoding/json";"os";"svc/server/dataset";"svc/server/sheet";"svc/server/ask/read";"svc/server/schema";"time";"path/filepath")
func TestZZ(t *testing.T){
 if os.Getenv("ZF")=="" {t.Skip()}; f,_:=os.Open(os.Getenv("ZF")); info,_:=f.Stat()
 s,_,err:=dataset.Build(t.Context(),filepath.Base(os.Getenv("ZF")),f,info.Size(),sheet.Limits{},filepath.Join(t.TempDir(),"x.db"))
 if err!=nil {t.Fatal(err)}
 for _,c:=range s.Columns { fmt.Printf("%q %s role=%q unit=%q distinct=%d blank=%d\n",c.Heading,c.Type,c.Role,c.Unit,c.Distinct,c.Blank)}
 fmt.Println(s.Kind, s.Reversals)
 if q:=os.Getenv("ZQ"); q!="" { day,_:=time.Parse(time.DateOnly,s.Last); r,err:=read.New([]schema.Source{s}).Read(q,day); b,_:=json.Marshal(r.Plan); fmt.Println(string(b),r.Loose,r.Implied,r.Companions,r.Notes,err)}
}
